import type { KubeObject } from '../../../src/kube/kube-object.ts';
import type { WatchEvent, StoredChange } from './stored-object.ts';

export interface Selection {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly labelSelector: string | undefined;
}

/** Equality and existence, which is what weir asks for. */
export function selects({ namespace, fieldSelector, labelSelector }: Selection, object: KubeObject): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const labels = (object.metadata.labels ?? {}) as Readonly<Record<string, string>>;
  return (
    terms(fieldSelector).every((term) => matches(term, (field) => fieldOf(object, field))) &&
    terms(labelSelector).every((term) => matches(term, (label) => labels[label]))
  );
}

/** What a watch with this selection sees of a change: an object that comes into the selection is added to it, one that leaves is deleted. */
export function selectedEvent(
  selection: Selection,
  { object, before, type, version }: StoredChange,
): WatchEvent | undefined {
  const was = before !== undefined && selects(selection, before);
  const is = type !== 'DELETED' && selects(selection, object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was || before === undefined) return undefined;
  return { type: 'DELETED', object: { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } } };
}

function terms(selector: string | undefined): readonly string[] {
  return (selector ?? '').split(',').filter((term) => term !== '');
}

function matches(term: string, valueOf: (name: string) => string | undefined): boolean {
  const [, name = '', operator, value] = /^([^!=]+)(!=|==?)(.*)$/.exec(term) ?? [];
  if (operator === undefined)
    return term.startsWith('!') ? valueOf(term.slice(1)) === undefined : valueOf(term) !== undefined;
  return operator === '!=' ? valueOf(name) !== value : valueOf(name) === value;
}

function fieldOf(object: KubeObject, field: string): string | undefined {
  let value: unknown = object;
  for (const part of field.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return typeof value === 'string' ? value : undefined;
}
