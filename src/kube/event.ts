import { createHash } from 'node:crypto';
import type { KubeResource } from './kube-resource.ts';

export const EVENTS: KubeResource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

/** The object that an Event is about. `kubectl describe` finds an Event by all of them, the uid included. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface EventNote {
  readonly subject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, at most 128 characters: `ServiceNotFound`. */
  readonly reason: string;
  readonly message: string;
}

/** How often, and from when to when, something was said. */
export interface EventSpan {
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/** The API server refuses longer messages, in bytes of UTF-8. */
const LONGEST_MESSAGE = 1024;
const PRIVATE = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/** At most 1,024 bytes; a longer text ends in an ellipsis. A text with a private key in it becomes `[redacted]`. */
export function eventMessage(text: string): string {
  if (PRIVATE.test(text)) return '[redacted]';
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST_MESSAGE) return bytes.toString();
  let end = LONGEST_MESSAGE - Buffer.byteLength('…');
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}…`;
}

/**
 * Name of the Event that says this: the same whichever process says it, and however often, so that a new leader goes on with the
 * Event of the one before.
 */
export function eventName({ subject, type, reason, message }: EventNote, controller: string): string {
  const identity = JSON.stringify([subject.kind, subject.uid, type, reason, message, controller]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  // Together at most 253 characters.
  return `${subject.name.slice(0, 230).replace(/[-.]+$/, '')}.${hash}`;
}

/** Where the Event of a cluster-wide object is. */
export function eventNamespace(subject: EventSubject): string {
  return subject.namespace === '' ? 'default' : subject.namespace;
}

/** A core/v1 Event. `message` must be one that `eventMessage` made. */
export function eventObject(
  note: EventNote,
  name: string,
  { count, first, last }: EventSpan,
  { controller, instance }: { readonly controller: string; readonly instance: string },
): unknown {
  const { subject, type, reason, message } = note;
  const { namespace, ...rest } = subject;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: eventNamespace(subject) },
    involvedObject: { ...rest, ...(namespace === '' ? {} : { namespace }) },
    type,
    reason,
    message,
    count,
    firstTimestamp: seconds(first),
    lastTimestamp: seconds(last),
    source: { component: controller },
    reportingComponent: controller,
    reportingInstance: instance.slice(0, 128),
  };
}

/** The change that says it once more. */
export function eventChange({ count, last }: Omit<EventSpan, 'first'>): unknown {
  return { count, lastTimestamp: seconds(last) };
}

/** core/v1 Events take no fraction of a second. */
function seconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
