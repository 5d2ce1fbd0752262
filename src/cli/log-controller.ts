import type { Logger } from 'pino';
import { INGRESS_FINDINGS } from '../diagnostics/ingress.ts';
import type { Controller, ControllerListener } from '../controller/controller.ts';
import { FindingLog } from './finding-log.ts';

/** Milliseconds that applies gather before one line tells of them all. */
const GATHER = 1000;
/** Milliseconds that findings gather: an edit of several files often breaks for a moment what it mends right after. */
const SETTLE = 300;

/**
 * Writes what the controller does to the log: failures at once, findings soon, applies at most once a second. `hopeless`:
 * codes of failures that end the program, which then tells them itself.
 */
export function logController(
  controller: Controller,
  log: Logger,
  hopeless: ReadonlySet<string> = new Set(),
): ControllerListener {
  const failing = new Map<string, string>();
  const gathered = new Map<string, { applies: number; generation: number; slowest: number }>();
  const findings = new FindingLog(log, (finding) => controller.locate(finding));
  let timer: NodeJS.Timeout | undefined;
  let look: NodeJS.Timeout | undefined;
  let noted = Promise.resolve();
  let unwell: string | undefined;
  const tellApplies = () => {
    timer = undefined;
    for (const [driver, { applies, generation, slowest }] of gathered) {
      const counts = controller.status().findings;
      log.info({ driver, generation, applies, slowestMs: Math.round(slowest * 1000), ...counts }, 'in force');
    }
    gathered.clear();
  };
  const tellSource = () => {
    const { name, healthy, problems } = controller.source();
    const why = healthy || problems.length === 0 ? undefined : problems.join('; ');
    if (why === unwell) return;
    unwell = why;
    if (why === undefined) log.info({ source: name }, `source ${name} is healthy again`);
    else log.error({ source: name }, `source ${name} is not healthy: ${why}`);
  };
  const tellState = () => {
    look = undefined;
    tellSource();
    const now = controller.findings();
    noted = noted
      .then(() => findings.note(now))
      .catch((error: unknown) => log.error({ error: String(error) }, 'findings could not be logged'));
  };
  return {
    applied(driver, { generation, seconds }) {
      if (failing.delete(driver)) log.info({ driver }, 'works again');
      const { applies = 0, slowest = 0 } = gathered.get(driver) ?? {};
      gathered.set(driver, { applies: applies + 1, generation, slowest: Math.max(slowest, seconds) });
      timer ??= setTimeout(tellApplies, applies === 0 && generation <= 2 ? 0 : GATHER).unref();
    },
    failed(driver, error, attempt) {
      // The same failure again and again is one line, then silence until it changes.
      if (failing.get(driver) === error.message) return;
      failing.set(driver, error.message);
      const { code, remedy } = error as { readonly code?: unknown; readonly remedy?: unknown };
      if (typeof code === 'string' && hopeless.has(code)) return;
      log.error({ driver, attempt, code, remedy }, `load balancer failed, will be tried again: ${error.message}`);
    },
    changed() {
      look ??= setTimeout(tellState, SETTLE).unref();
    },
    synced: () => {
      const { model } = controller.status();
      log.info(model, 'source read');
      if (model.hosts > 0) return;
      const nothing = controller.findings().find(({ code }) => code === INGRESS_FINDINGS.nothingServed.code);
      if (nothing === undefined) log.warn('nothing is served: the source has no Ingress');
      else log.warn({ code: nothing.code }, `${nothing.message} ${nothing.fix}`);
    },
    transition: (actor, state) => log.debug({ actor, state }, 'state'),
  };
}
