import type { Finding } from '../../src/diagnostics/finding.ts';
import { UNSUPPORTED_KEYS } from '../../src/translate/ingress/annotations/not-yet.ts';
import type { Reply } from '../support/clients/http-client.ts';
import { literalEffect } from './literal-effects.ts';
import { type Asker, isSendable, probesOf } from './probe.ts';
import { type Mutation, type Spoiled, told } from './spoiled.ts';
import type { UsualStatuses } from './usual-statuses.ts';
import type { Witness } from './witness-backend.ts';

export interface Judgement {
  readonly outcome: 'served' | 'reported';
  /** What must not be. */
  readonly faults: readonly string[];
}

/** What may answer a request that meets an obstacle: never weir's own failure. */
const ALLOWED: ReadonlySet<number> = new Set([
  200, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 413, 414, 421, 429, 431, 502, 503, 504,
]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAY_REDIRECT = /redirect|app-root|rewrite-target/;
const MAY_REWRITE = /rewrite-target/;
const REGEX = /use-regex|rewrite-target/;
/** For expressions that try for ever. */
const PATIENCE = ['/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', `/${'a'.repeat(4000)}!`, '/shop'];

/**
 * Every object is served with the literal meaning of what stands in it, or there is a finding about it. `findings`: those
 * of its file. `model`: the parts of the model that came of it, as text. `usual`: what harmless uses of annotations answer.
 */
export async function judge(
  spoiled: Spoiled,
  findings: readonly Finding[],
  model: string,
  usual: UsualStatuses,
  asker: Asker,
): Promise<Judgement> {
  const faults: string[] = [];
  const fault = (what: string) => faults.push(`${told(spoiled)}: ${what}`);
  const keys = annotationKeys(spoiled);
  const probes = probesOf(spoiled);
  const reported = findings.length > 0;
  if (!reported && probes.length === 0 && spoiled.objects.get('Ingress')?.['kind'] === 'Ingress')
    fault('asks for nothing, unreported');
  for (const probe of probes) {
    if (!isSendable(probe)) {
      if (!reported) fault('can not be asked for, and is not reported');
      continue;
    }
    const reply = await asker.ask(probe);
    if (!ALLOWED.has(reply.status)) fault(`answers ${reply.status} ${reply.body.slice(0, 100)}`);
    if (isForeign(spoiled)) {
      if (reply.body.includes(`"at":"${spoiled.specimen.address}"`)) fault('another controller’s Ingress is served');
    } else if (!reported) faults.push(...served(spoiled, reply, probe.target, keys, usual));
    if (keys.some((key) => REGEX.test(key))) {
      for (const target of PATIENCE) {
        const { status } = await asker.ask({ host: probe.host, target });
        if (!ALLOWED.has(status)) fault(`${target.slice(0, 20)} answers ${status}`);
      }
    }
  }
  for (const mutation of spoiled.mutations) {
    if (isDropped(mutation, spoiled, findings, model)) fault('is neither reported nor in the model');
  }
  return { outcome: reported ? 'reported' : 'served', faults };
}

const SSL_REDIRECT = 'nginx.ingress.kubernetes.io/ssl-redirect';

/** Without the one that keeps plain HTTP from being redirected. */
function annotationKeys({ objects }: Spoiled): readonly string[] {
  const metadata = objects.get('Ingress')?.['metadata'] as { readonly annotations?: Readonly<Record<string, unknown>> };
  const annotations = metadata?.annotations ?? {};
  if (annotations[SSL_REDIRECT] !== 'false') return [...Object.keys(annotations), 'redirect'];
  return Object.keys(annotations).filter((key) => key !== SSL_REDIRECT);
}

/** An Ingress of a class that another controller has is none of weir's business. */
function isForeign({ mutations }: Spoiled): boolean {
  return mutations.some(({ place }) => place.name === 'IngressClass.spec.controller');
}

/** Nothing is reported, so the request reaches the endpoint as it was sent. */
function served(
  spoiled: Spoiled,
  reply: Reply,
  target: string,
  keys: readonly string[],
  usual: UsualStatuses,
): readonly string[] {
  const line = (what: string) => [`${told(spoiled)}: unreported, but ${what}`];
  if (REDIRECTS.has(reply.status) && keys.some((key) => MAY_REDIRECT.test(key)))
    return effects(spoiled, reply, undefined);
  if (keys.some((key) => REGEX.test(key)) && [200, 400, 404, 414].includes(reply.status)) return [];
  if (reply.status !== 200 && keys.some((key) => usual.of(key).has(reply.status))) return [];
  if (reply.status !== 200)
    return line(`${target.slice(0, 100)} is answered ${reply.status} ${reply.body.slice(0, 200)}`);
  if (!reply.body.startsWith('{"at":')) return line(`somebody else answers: ${reply.body.slice(0, 100)}`);
  const witness = reply.json<Witness & Record<string, unknown>>();
  if (witness.at !== spoiled.specimen.address) return line(`the endpoint ${witness.at} answers`);
  if (witness.url !== target && !keys.some((key) => MAY_REWRITE.test(key))) {
    return line(`the endpoint gets ${witness.url.slice(0, 100)} instead of ${target.slice(0, 100)}`);
  }
  return effects(spoiled, reply, witness);
}

function effects(spoiled: Spoiled, reply: Reply, witness: Witness | undefined): readonly string[] {
  return spoiled.mutations.flatMap(({ place, value, behind }) => {
    if (place.annotation === undefined) return [];
    const text = `${behind ? place.otherwise : ''}${value.text}`.trim();
    const wrong = literalEffect(place.annotation, text, reply, witness);
    return wrong === undefined ? [] : [`${told(spoiled)}: ${wrong}`];
  });
}

/** An annotation of which nothing is said and nothing is kept, though its value asks for something. */
function isDropped(
  { place, value, behind }: Mutation,
  spoiled: Spoiled,
  findings: readonly Finding[],
  model: string,
): boolean {
  if (place.annotation === undefined || place.kind !== 'Ingress' || !place.annotation.includes('/')) return false;
  const text = `${behind ? place.otherwise : ''}${value.text}`;
  if (text.trim() === '' || findings.some(({ field, severity }) => field === '' || severity === 'error')) return false;
  if (text.trim() === place.otherwise) return false;
  const key = place.annotation;
  if (findings.some(({ field, message }) => field.includes(key) || message.includes(key))) return false;
  const name = key.slice(key.indexOf('/') + 1);
  if (UNSUPPORTED_KEYS.find((each) => each.name === name)?.off?.(text, () => undefined) === true) return false;
  if (spoiled.mutations.length > 1) return false;
  const written = JSON.stringify(text.trim()).slice(1, -1);
  return !model.toLowerCase().includes(written.toLowerCase()) && !/^[$\w{}-]+$/.test(text.replaceAll(' ', ''));
}
