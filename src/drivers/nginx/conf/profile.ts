import type { Redacted } from '../../../lib/redacted.ts';
import type { Origin } from '../../../model/origin.ts';
import type { TlsIdentity } from './tls-identity.ts';

/**
 * A combination of directives that accept no variable. Requests that need one go to its named location.
 * The common profile (http, nothing special) is `location /` itself and isn't in this list.
 */
export interface Profile {
  /** Derived from the content, so that equal profiles have equal names: `@grpc`, `@http_body_1m`. */
  readonly name: string;
  readonly protocol: 'http' | 'https' | 'grpc' | 'grpcs';
  /** Bytes: bound on a body whose length isn't told beforehand; 0: none. */
  readonly bodyLimit: number;
  /** The request's body is kept until the request is over, for copies of it. */
  readonly readsBody?: true;
  /** Absent: TLS is not verified, and nothing proves who weir is. */
  readonly identity?: TlsIdentity;
  /** What the directives name below the run directory; absent where the files are known to be there. */
  readonly files?: readonly ProfileFile[];
  /** Name of its location where it shares one; absent: its own name. */
  readonly location?: string;
  readonly origins: readonly Origin[];
}

/** Named by its content, so that it never changes and profiles may share it. */
export interface ProfileFile {
  readonly name: string;
  readonly content: Redacted;
}
