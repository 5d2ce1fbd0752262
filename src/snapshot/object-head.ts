import type { ObjectRef, Origin } from '../model/origin.ts';

/** What every object of the snapshot has. */
export interface ObjectHead {
  readonly ref: ObjectRef;
  /** RFC 3339, UTC. */
  readonly created?: string;
  readonly file?: string;
  readonly line?: number;
}

/** `namespace/name`; `/name` for cluster-wide kinds. Unique within a kind. */
export function objectKey(namespace: string, name: string): string {
  // Joined, not concatenated: these are kept by the ten thousands, and a flat string takes half the memory.
  return [namespace, name].join('/');
}

export function headKey(head: ObjectHead): string {
  return objectKey(head.ref.namespace, head.ref.name);
}

/** The origin that a part of the model, or a finding, has when it comes from this field. */
export function originOf(head: ObjectHead, field: string): Origin {
  return {
    object: head.ref,
    field,
    ...(head.file === undefined ? {} : { file: head.file }),
    ...(head.line === undefined ? {} : { line: head.line }),
  };
}
