import { statusError } from '../client/refusal.ts';
import type { KubeRequest } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import type { KubeObject } from '../kube-object.ts';

export type WatchEvent =
  | { readonly type: 'put' | 'delete'; readonly object: KubeObject }
  /** `initialEnd`: all that existed when the watch began has been sent. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEnd: boolean };

const INITIAL_END = 'k8s.io/initial-events-end';

/** One document of a watch. Throws the KubeError that the server put into the stream, or that says what the document isn't. */
export function readWatchEvent(request: KubeRequest, document: unknown): WatchEvent {
  const { type, object } = fieldsOf(document);
  if (type === 'ERROR') throw statusError(request, 500, object);
  const { metadata } = fieldsOf(object);
  const { name, uid, resourceVersion, annotations } = fieldsOf(metadata);
  if (typeof resourceVersion === 'string') {
    if (type === 'BOOKMARK') {
      return { type: 'bookmark', resourceVersion, initialEnd: fieldsOf(annotations)[INITIAL_END] === 'true' };
    }
    if (
      (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') &&
      typeof name === 'string' &&
      typeof uid === 'string'
    ) {
      return { type: type === 'DELETED' ? 'delete' : 'put', object: object as KubeObject };
    }
  }
  throw new KubeError(`watch ${request.path}: an event that is none: ${String(type).slice(0, 40)}`);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
