import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../../lib/coded-error.ts';
import { Redacted } from '../../lib/redacted.ts';
import type { Credentials, CredentialSource } from './credentials.ts';

/** Names as in a Secret of type kubernetes.io/tls, and so in its volume. */
export const CREDENTIAL_FILES = { authorities: 'ca.crt', certificate: 'tls.crt', key: 'tls.key' } as const;

/** Milliseconds between looks at the files: links of a volume are exchanged without a sign. */
const LOOK = 5000;

/** A proxy's credentials: files that somebody else keeps up to date. */
export class FileCredentials implements CredentialSource {
  readonly #directory: string;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #credentials: Credentials | undefined;
  #problem: unknown;

  private constructor(directory: string, lookMs: number) {
    this.#directory = directory;
    this.#timer = setInterval(() => void this.look(), lookMs).unref();
  }

  /** Files that aren't there yet, or aren't usable, are waited for: `current` throws until they are. */
  static async open(directory: string, lookMs = LOOK): Promise<FileCredentials> {
    const made = new FileCredentials(directory, lookMs);
    await made.look();
    return made;
  }

  current(): Credentials {
    if (this.#credentials !== undefined) return this.#credentials;
    const why = this.#problem instanceof Error ? this.#problem.message : String(this.#problem);
    throw new CodedError('stream-tls', `the certificates in ${this.#directory} can't be used: ${why}`, {
      remedy: 'It needs ca.crt, tls.crt and tls.key, as the controller makes them.',
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads again. Files that don't belong together, because they are being written, leave what there was. */
  async look(): Promise<void> {
    try {
      const read = (name: string) => readFile(join(this.#directory, name), 'utf8');
      const authorities = await read(CREDENTIAL_FILES.authorities);
      const certificate = await read(CREDENTIAL_FILES.certificate);
      const key = new Redacted(await read(CREDENTIAL_FILES.key));
      if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key.reveal()))) {
        throw new Error('tls.key is not the key of tls.crt');
      }
      const before = this.#credentials;
      this.#credentials = { authorities, certificate, key };
      if (before?.certificate === certificate && before.authorities === authorities && before.key.equals(key)) return;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      this.#problem = error;
    }
  }
}
