import type { Reply } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import type { Spoiled } from './spoiled.ts';

/** A request that an Ingress asks to be served: its host and path, read as what they literally are. */
export interface Probe {
  readonly host: string;
  readonly target: string;
}

interface IngressBody {
  readonly spec?: {
    readonly rules?: readonly {
      readonly host?: unknown;
      readonly http?: { readonly paths?: readonly { readonly path?: unknown }[] };
    }[];
  };
}

/** No client can say it: an object with this can't be served, so it must be reported. */
const UNSENDABLE = Symbol('unsendable');

/** Of each rule and path, an empty one being the root; `unsendable` where no request can be made of them. */
export function probesOf({ all, specimen }: Spoiled): readonly (Probe | typeof UNSENDABLE)[] {
  return all
    .filter(({ kind, apiVersion }) => kind === 'Ingress' && apiVersion === 'networking.k8s.io/v1')
    .flatMap((object) =>
      ((object as IngressBody).spec?.rules ?? []).flatMap(({ host, http }) =>
        (http?.paths ?? []).map(({ path }) => {
          const name = hostOf(host, specimen.host);
          return name === undefined || typeof path !== 'string'
            ? UNSENDABLE
            : { host: name, target: targetOf(path === '' ? '/' : path) };
        }),
      ),
    );
}

/** A name that the host of a rule stands for. */
function hostOf(host: unknown, otherwise: string): string | undefined {
  if (host === undefined || host === '') return otherwise;
  if (typeof host !== 'string') return undefined;
  const name = host.replace(/^\*\./, 'any.');
  return /^[\x21-\x7e]+$/.test(name) ? name : undefined;
}

/** Every byte but the plainest as an escape. */
export function targetOf(path: string): string {
  return Array.from(Buffer.from(path), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-._~/]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

export function isSendable(probe: Probe | typeof UNSENDABLE): probe is Probe {
  return probe !== UNSENDABLE;
}

/** Asks one after the other over a connection that is kept while nginx keeps it. */
export class Asker {
  readonly #port: number;
  #connection: HttpConnection | undefined;
  asked = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async ask({ host, target }: Probe): Promise<Reply> {
    this.asked += 1;
    const connection = this.#connection ?? (await HttpConnection.open(this.#port));
    this.#connection = undefined;
    try {
      const reply = await connection.request(host, target);
      if (reply.headers.connection === 'close') connection.close();
      else this.#connection = connection;
      return reply;
    } catch (error) {
      connection.close();
      throw new Error(`${host.slice(0, 80)}${target.slice(0, 80)}: ${String(error)}`, { cause: error });
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
