import { CodedError } from '../../lib/coded-error.ts';
import type { Credentials, CredentialSource } from './credentials.ts';
import { credentialsOf, encodeMaterial, type Material, renewMaterial } from './material.ts';
import type { MaterialStore } from './material-store.ts';

/** Milliseconds between looks at what the other controllers have written, and at the clock. */
const LOOK = 30_000;
/** Others that are faster are no longer faster after so many tries. */
const TRIES = 5;

export interface AuthorityKeeperOptions {
  readonly store: MaterialStore;
  readonly now?: () => Date;
  readonly lookMs?: number;
  /** Told why the store can't be used just now, and with undefined when it can again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

/** A controller's own credentials, and the small authority behind them: made, renewed in time, shared with other controllers. */
export class AuthorityKeeper implements CredentialSource {
  readonly #options: AuthorityKeeperOptions;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #material: Material;
  #text: string;
  #failing = false;

  private constructor(options: AuthorityKeeperOptions, material: Material) {
    this.#options = options;
    this.#material = material;
    this.#text = encodeMaterial(material);
    this.#timer = setInterval(() => void this.look(), options.lookMs ?? LOOK).unref();
  }

  /** Rejects where the store can't be used: without certificates nobody could connect. */
  static async open(options: AuthorityKeeperOptions): Promise<AuthorityKeeper> {
    return new AuthorityKeeper(options, await bring(options));
  }

  current(): Credentials {
    return credentialsOf(this.#material, 'controller');
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads again, renews what is due. What was in use stays where that fails. */
  async look(): Promise<void> {
    try {
      const material = await bring(this.#options);
      if (this.#failing) this.#options.onProblem?.(undefined);
      this.#failing = false;
      const text = encodeMaterial(material);
      if (text === this.#text) return;
      this.#material = material;
      this.#text = text;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!this.#failing) this.#options.onProblem?.(error as Error);
      this.#failing = true;
    }
  }
}

/** What the store has, renewed and laid out for the proxies. */
async function bring({ store, now = () => new Date() }: AuthorityKeeperOptions): Promise<Material> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { material: before, version } = await store.read();
    const material = renewMaterial(before, now());
    if (material !== before && !(await store.write(material, version))) continue;
    await store.publish(credentialsOf(material, 'proxy'));
    return material;
  }
  throw new CodedError('stream-tls', `the certificates in ${store.place} are changed by others all the time`);
}
