import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { seedOf } from '../support/seed.ts';
import fc from 'fast-check';
import { rawEchoOf, startRawEchoBackends } from '../support/backends/raw-echo-backend.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import type { Scope } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { WeirInProcess } from '../support/weir-in-process.ts';
import { arbitraryManifests } from './arbitrary-manifests.ts';
import { arbitraryRequest, type RequestPlan } from './arbitrary-request.ts';
import { ADDRESSES } from './arbitrary-services.ts';
import { agrees, Disagreement, type Seen } from './disagreement.ts';
import type { Manifest } from './manifest.ts';
import { requestBytes, type RequestText } from './request-text.ts';
import { routeRequest } from './router.ts';
import { runProperty } from './run-property.ts';
import { writeRequest } from './write-request.ts';

/** Another one each time; a failure tells it. */
const SEED = seedOf('REFERENCE_SEED');
/** Sets of manifests in each of the two tests. */
const SETS = Number(process.env['REFERENCE_SETS'] ?? 102);
/** What a set is asked on the average, at least. */
const LEAST_REQUESTS = 15;
/** Steps of one chain of live changes; each is a set. */
const STEPS = 3;
/** Each to one of nginx's workers, and kept alive over changes. */
const CONNECTIONS = 3;

const scope = suiteScope();
let port: number;

before(async () => {
  ({ port } = await startRawEchoBackends(scope, ADDRESSES));
});

const plans = fc.array(arbitraryRequest, { minLength: 1, maxLength: 64, size: 'max' });

/** Requests over connections that are kept alive, each compared with what the reference router says. */
class Comparison {
  readonly #outcomes = new Map<string, number>();
  readonly #connections: (HttpConnection | undefined)[] = [];
  #asked = 0;
  #sets = 0;

  async compare(weir: WeirInProcess, manifests: readonly Manifest[], asked: readonly RequestPlan[]): Promise<void> {
    for (const plan of asked) {
      const request = writeRequest(plan, manifests, weir.httpPort);
      const expected = routeRequest(manifests, request, { http: weir.httpPort, https: weir.httpsPort });
      const seen = await this.#ask(weir.httpPort, request);
      if (!agrees(expected, seen)) throw new Disagreement(manifests, request, expected, seen);
      const outcome = expected.kind === 'proxied' ? 'proxied' : String(expected.status);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    }
    this.#sets += 1;
  }

  close(): void {
    for (const connection of this.#connections.splice(0)) connection?.close();
  }

  /** Prints what was compared, and checks that it was as much as is promised. */
  report(t: TestContext): void {
    const counts = [...this.#outcomes].sort().map(([outcome, count]) => `${outcome} ${count}`);
    t.diagnostic(`seed ${SEED}: ${this.#asked} requests over ${this.#sets} sets of manifests (${counts.join(', ')})`);
    assert.ok(this.#sets >= SETS);
    assert.ok(this.#asked >= SETS * LEAST_REQUESTS);
    for (const outcome of ['proxied', '308', '400', '404', '503']) assert.ok(this.#outcomes.has(outcome), outcome);
  }

  async #ask(httpPort: number, request: RequestText): Promise<Seen> {
    const index = this.#asked++ % CONNECTIONS;
    const kept = this.#connections[index];
    const connection = kept?.ended === false ? kept : await HttpConnection.open(httpPort);
    connection.send(requestBytes(request));
    const { status, headers } = await connection.reply(request.method);
    const over = headers.connection === 'close';
    if (over) connection.close();
    this.#connections[index] = over ? undefined : connection;
    return { status, location: headers.location, echo: rawEchoOf(headers) };
  }
}

/** A folder that is made to hold exactly some manifests, each in a file of its own. */
class ExactFolder {
  readonly #folder: ManifestFolder;
  #held = new Map<string, string>();

  constructor(of: Scope) {
    this.#folder = new ManifestFolder(of);
  }

  get path(): string {
    return this.#folder.path;
  }

  hold(manifests: readonly Manifest[]): void {
    const wanted = new Map(manifests.map((manifest) => [fileOf(manifest), JSON.stringify(manifest)]));
    for (const file of this.#held.keys()) if (!wanted.has(file)) this.#folder.remove(file);
    for (const [file, text] of wanted) if (this.#held.get(file) !== text) this.#folder.write(file, text);
    this.#held = wanted;
  }
}

function fileOf({ kind, metadata }: Manifest): string {
  return `${metadata.namespace}/${kind}-${metadata.name}.json`;
}

/** Of each object the one set's version or the other's, as the bits of `which` say. */
function mixed(one: readonly Manifest[], other: readonly Manifest[], which: number): readonly Manifest[] {
  const files = [...new Set([...one, ...other].map(fileOf))].sort();
  return files.flatMap((file, index) =>
    ((which >> (index % 30)) % 2 === 0 ? one : other).filter((manifest) => fileOf(manifest) === file),
  );
}

test('after a fresh start nginx does with every request what the reference router says', async (t) => {
  const comparison = new Comparison();
  const input = fc.record({ asked: plans, manifests: arbitraryManifests(port) });
  await runProperty(input, { seed: SEED, runs: SETS }, async ({ asked, manifests }) => {
    const folder = new ExactFolder(t);
    folder.hold(manifests);
    const weir = await WeirInProcess.start(t, folder.path);
    try {
      await comparison.compare(weir, manifests, asked);
    } finally {
      comparison.close();
      await weir.stop();
    }
  });
  comparison.report(t);
});

test('after each of a chain of live changes nginx does with every request what the reference router says', async (t) => {
  const comparison = new Comparison();
  t.after(() => comparison.close());
  const folder = new ExactFolder(t);
  const weir = await WeirInProcess.start(t, folder.path);
  const manifests = arbitraryManifests(port);
  const input = fc.record({ asked: plans, last: manifests, first: manifests, which: fc.nat(2 ** 30 - 1) });
  const runs = Math.ceil(SETS / STEPS);
  await runProperty(input, { seed: SEED, runs }, async ({ asked, last, first, which }) => {
    for (const set of [first, mixed(first, last, which), last]) {
      folder.hold(set);
      await weir.settled();
      await comparison.compare(weir, set, asked);
    }
  });
  comparison.report(t);
});
