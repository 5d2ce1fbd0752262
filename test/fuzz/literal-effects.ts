import type { Reply } from '../support/clients/http-client.ts';
import type { Witness } from './witness-backend.ts';

type Effect = (text: string, reply: Reply, witness: Witness | undefined) => boolean;

/** Where the text of an annotation shows, letter for letter. */
const EFFECTS: ReadonlyMap<string, Effect> = new Map<string, Effect>([
  ['upstream-vhost', (text, _reply, witness) => witness === undefined || headerOf(witness, 'host') === text],
  ['permanent-redirect', (text, reply) => reply.headers.location === text],
  ['temporal-redirect', (text, reply) => reply.headers.location === text],
  ['session-cookie-name', (text, reply) => cookieOf(reply).startsWith(`${text}=`)],
  ['session-cookie-path', (text, reply) => cookieOf(reply).includes(`; Path=${text}`)],
  ['session-cookie-domain', (text, reply) => cookieOf(reply).includes(`; Domain=${text}`)],
  ['x-forwarded-prefix', (text, _reply, witness) => headerOf(witness, 'x-forwarded-prefix') === text],
]);

/** What is wrong with the answer, where the annotation's value should show in it. `key`: with its prefix. */
export function literalEffect(
  key: string,
  text: string,
  reply: Reply,
  witness: Witness | undefined,
): string | undefined {
  const effect = EFFECTS.get(key.slice(key.indexOf('/') + 1));
  if (effect === undefined || effect(text, reply, witness)) return undefined;
  const shown = JSON.stringify({ headers: reply.headers, witness }).slice(0, 500);
  return `the value does not show letter for letter: ${shown}`;
}

function headerOf(witness: Witness | undefined, name: string): string | undefined {
  const { headers = [] } = witness ?? {};
  return headers.find((_value, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

function cookieOf(reply: Reply): string {
  return (reply.headers['set-cookie'] ?? []).join('\n');
}
