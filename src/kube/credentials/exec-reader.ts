import type { ExecCredential } from './exec-credential.ts';

/** A credential is renewed a little before its end, so that no request meets it. */
const MARGIN_MS = 10_000;

/** Keeps what a plugin gave until it expires or is refused. Who asks meanwhile waits for the same run. */
export class ExecReader {
  readonly #run: () => Promise<ExecCredential>;
  readonly #now: () => number;
  #held: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(run: () => Promise<ExecCredential>, now: () => number) {
    this.#run = run;
    this.#now = now;
  }

  read(): Promise<ExecCredential> {
    const held = this.#held;
    if (held !== undefined && (held.expires === undefined || this.#now() < held.expires - MARGIN_MS)) {
      return Promise.resolve(held);
    }
    this.#running ??= this.#run()
      .then((credential) => {
        this.#held = credential;
        return credential;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  forget(): void {
    this.#held = undefined;
  }
}
