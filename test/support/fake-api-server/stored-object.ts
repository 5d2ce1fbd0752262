import type { KubeObject } from '../../../src/kube/kube-object.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** One write, as the history keeps it. Objects are never changed in place. */
export interface StoredChange {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** As it is from then on; a deleted one carries the version of its deletion. */
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
}

export type NewObject = Readonly<Record<string, unknown>> & {
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
};

/** `shop/web`; `/web` for what has no namespace. */
export function storedKey({ metadata }: { metadata: { name: string; namespace?: string } }): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
