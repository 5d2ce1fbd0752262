import type { Redacted } from '../../lib/redacted.ts';

/** What one end of the stream shows, and whom it believes. PEM. */
export interface Credentials {
  /** All authorities that count just now: during a change of the authority two. */
  readonly authorities: string;
  readonly certificate: string;
  readonly key: Redacted;
}

/** DNS names in the certificates: who connects is believed to be what its certificate says, and only that. */
export const CONTROLLER_NAME = 'controller.model-stream.weir';
export const PROXY_NAME = 'proxy.model-stream.weir';

/** Gives the credentials as they are now; they change while the program runs. */
export interface CredentialSource {
  current(): Credentials;
  /** Called when they have changed. */
  onChange(listener: () => void): void;
  close(): void;
}
