import { setTimeout as delay } from 'node:timers/promises';
import { type Backend, startBackends } from '../support/backends/echo-backend.ts';
import { type Authority, makeAuthority } from '../support/certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { handshake } from '../support/clients/tls-client.ts';
import type { ManifestFolder } from '../support/manifest-folder.ts';
import { backendService, ingress, tlsSecret } from '../support/manifests.ts';
import type { Scope } from '../support/scope.ts';
import type { Weir } from '../support/weir.ts';

/** Hosts that are there at a time; each goes after a while and another, with a name never used before, takes its place. */
const LIVING = 40;
const PACE_MS = 100;

/** Hosts that come, change, are asked and go, without end; and clients that ask for hosts that never were. */
export class Churn {
  readonly #folder: ManifestFolder;
  readonly #weir: Weir;
  readonly #backends: readonly Backend[];
  readonly #authority: Authority;
  changes = 0;
  readonly wrong: string[] = [];

  private constructor(folder: ManifestFolder, weir: Weir, backends: readonly Backend[], authority: Authority) {
    this.#folder = folder;
    this.#weir = weir;
    this.#backends = backends;
    this.#authority = authority;
  }

  static async open(scope: Scope, folder: ManifestFolder, weir: Weir): Promise<Churn> {
    return new Churn(folder, weir, await startBackends(scope, 4, 'churn'), await makeAuthority());
  }

  /** Until `ended` says so. */
  async run(ended: () => boolean): Promise<void> {
    for (let number = 0; !ended(); number += 1) {
      const began = performance.now();
      const name = `churn-${number}`;
      const pair = number % 5 === 0 ? await this.#authority.issue([`${name}.example`]) : undefined;
      this.#write(name, number, pair);
      if (number >= LIVING) this.#folder.remove(`churn-${number - LIVING}.yaml`);
      // One of the living gets other endpoints.
      const other = number - Math.min(number, LIVING - 1) + ((number * 7) % Math.min(number + 1, LIVING));
      if (other !== number && other % 5 !== 0) this.#write(`churn-${other}`, other + 1);
      this.changes += 3;
      await this.#weir.settled();
      const { status } = await request({ port: this.#weir.httpPort, host: `${name}.example` });
      // With TLS, plain requests are sent to https.
      if (status !== (pair === undefined ? 200 : 308)) this.wrong.push(`${name}: ${status}`);
      await this.#strangers(number);
      await delay(Math.max(0, began + PACE_MS - performance.now()));
    }
  }

  #write(name: string, number: number, pair?: { readonly certificate: string; readonly key: string }): void {
    const host = `${name}.example`;
    const endpoints = [this.#backends[number % 4]!, this.#backends[(number + 1) % 4]!];
    this.#folder.write(`${name}.yaml`, [
      ...backendService({ name, endpoints }),
      ...(pair === undefined ? [] : [tlsSecret({ name: `${name}-tls`, ...pair })]),
      ingress({
        name,
        host,
        paths: [
          { path: '/', service: name },
          { path: `/only/${number}`, pathType: 'Exact', service: name },
        ],
        ...(pair === undefined ? {} : { tls: [{ hosts: [host], secretName: `${name}-tls` }] }),
      }),
    ]);
  }

  async #strangers(number: number): Promise<void> {
    const host = `stranger-${number}.example`;
    const { status } = await request({ port: this.#weir.httpPort, host, path: `/${'x'.repeat(number % 500)}` });
    if (status !== 404) this.wrong.push(`${host}: ${status}`);
    await handshake(this.#weir.httpsPort, { servername: host });
  }
}
