import type { Redacted } from '../../lib/redacted.ts';

/** Who weir is at an API server, at this moment. */
export interface Credentials {
  readonly token?: Redacted;
  readonly certificate?: {
    /** PEM, leaf first. */
    readonly certificate: string;
    readonly key: Redacted;
  };
}
