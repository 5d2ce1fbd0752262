import type { Origin } from '../../../model/origin.ts';

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
  readonly origins: readonly Origin[];
}
