import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finding } from '../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../diagnostics/drivers.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Listener } from '../../model/listener.ts';
import type { Model } from '../../model/model.ts';
import type { Origin } from '../../model/origin.ts';
import { approximatePatternError } from './approximate-pattern-error.ts';
import { unservedParts } from './model-findings.ts';
import { NginxDriver } from './nginx-driver.ts';
import { NginxError } from './nginx-error.ts';
import type { NginxDriverOptions } from './nginx-options.ts';
import { RecordBook } from './records/record-book.ts';
import { ROUTE_DEFAULTS } from './records/render-context.ts';
import { findSystemAuthorities } from './supervisor/system-authorities.ts';

export type CheckOptions = Omit<NginxDriverOptions, 'stateDirectory' | 'onEvent'>;

/** The load balancer of this machine, as the object of findings that are about none of the user's. */
const NGINX: Origin = { object: { kind: 'LoadBalancer', namespace: '', name: 'nginx' }, field: '' };

/**
 * Everything that the nginx driver has to say about a model: what it can't do, regular expressions that don't compile (a
 * throwaway nginx compiles them) and what `nginx -t` refuses. Opens no port and leaves nothing behind. Without a usable
 * nginx it says so and finds only what is plainly wrong.
 */
export async function checkModel(model: Model, options: CheckOptions): Promise<readonly Finding[]> {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'weir-check-'));
  const driver = new NginxDriver({ ...options, stateDirectory, workers: 1, drainTimeout: 1000, serves: false });
  try {
    await driver.start();
    return await driver.check(withTestPorts(model));
  } catch (error) {
    if (error instanceof NginxError && UNUSABLE.has(error.code)) return checkWithoutNginx(model, options, error);
    throw error;
  } finally {
    await driver.stop('drain');
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

const UNUSABLE: ReadonlySet<string> = new Set([
  'WEIR_NGINX_MISSING',
  'WEIR_NGINX_TOO_OLD',
  'WEIR_NGINX_NO_LUA',
  'WEIR_NGINX_START',
]);

function checkWithoutNginx(model: Model, options: CheckOptions, error: NginxError): readonly Finding[] {
  const authorities = options.systemAuthorities ?? findSystemAuthorities();
  const book = new RecordBook({ ...ROUTE_DEFAULTS, ...options.routeDefaults }, authorities);
  for (const pattern of book.evaluate(model, undefined).patterns) {
    book.judgePattern(pattern, approximatePatternError(pattern.pattern));
  }
  book.commit(book.evaluate(model, undefined));
  const message = `Regular expressions and configuration were not checked by nginx: ${error.message}`;
  return [finding(DRIVER_FINDINGS.notCompiled, NGINX, message), ...book.findings(), ...unservedParts(model)];
}

/**
 * `nginx -t` binds what it can, and complains about ports below 1024 without the right and addresses of other machines.
 * None of that says something about the objects, so listeners are tested on loopback and ports that need no right.
 */
function withTestPorts(model: Model): Model {
  const listeners = [...model.listeners].map(([name, listener], index): [string, Listener] => [
    name,
    { ...listener, addresses: ['127.0.0.1'], port: 20_000 + (index % 40_000) },
  ]);
  return { ...model, listeners: new Map(listeners) };
}
