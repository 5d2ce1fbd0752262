import type { ClientListener } from './listener-cache';

/**
 * The session id context of TLS at a name: connections and sessions with the same one were made under the same policy
 * in the same scope. `own` and `verifies` are the name's or host's: its policy, and whether that has authorities of its own; if not,
 * the listener's count.
 */
export function policyContext(
  scope: string,
  own: string,
  verifies: boolean,
  listener: ClientListener | undefined,
): string {
  const inherited = verifies || listener === undefined ? '' : listener.policy;
  return ngx.md5_bin(scope + '\n' + own + '\n' + inherited);
}
