import type { Answer } from './answer.ts';
import type { Manifest } from './manifest.ts';
import { requestBytes, type RequestText } from './request-text.ts';

/** What came back for a request, and what the backend read of it. */
export interface Seen {
  readonly status: number;
  readonly location: string | undefined;
  readonly echo:
    | { readonly endpoint: string; readonly requestLine: string; readonly hosts: readonly string[] }
    | undefined;
}

/** Whether what came back is what the reference router says. */
export function agrees(expected: Answer, { status, location, echo }: Seen): boolean {
  if (expected.kind !== 'proxied') {
    if (echo !== undefined || status !== expected.status) return false;
    return expected.kind === 'redirect' ? sameLocation(expected.location, location) : location === undefined;
  }
  if (status !== 200 || echo === undefined) return false;
  return (
    expected.endpoints.includes(echo.endpoint) &&
    echo.requestLine === `${expected.method} ${expected.uri} HTTP/1.1` &&
    echo.hosts.length === 1 &&
    echo.hosts[0] === expected.host
  );
}

/** A path is one at whatever host the answer names; a URL without a path is one with `/` (RFC 3986 section 6.2.3). */
function sameLocation(expected: string, seen: string | undefined): boolean {
  const [, origin = '', path = ''] = /^([a-z]+:\/\/[^/?]*)(.*)$/.exec(seen ?? '') ?? [];
  const rest = path.startsWith('/') ? path : `/${path}`;
  return expected === (expected.startsWith('/') ? rest : origin + rest);
}

/** The manifests, the request, and what was expected of it: all that somebody needs to judge who is wrong. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';

  constructor(manifests: readonly Manifest[], request: RequestText, expected: Answer, seen: Seen) {
    const parts = [
      ...manifests.map((manifest) => JSON.stringify(manifest)),
      `request: ${JSON.stringify(requestBytes(request).toString('latin1'))}`,
      `the reference says: ${JSON.stringify(expected)}`,
      `nginx did:          ${JSON.stringify(seen)}`,
    ];
    super(`\n${parts.join('\n')}`);
  }
}
