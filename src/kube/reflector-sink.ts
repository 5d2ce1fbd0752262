import type { KubeObject } from './kube-object.ts';

/** Told of the objects of one scope as the server has them, in order. */
export interface ReflectorSink {
  /**
   * Changes that came together: a put has the whole object; a delete has the last one known (its metadata at least). An object
   * that was deleted and made anew under its name comes as a delete and a put.
   */
  changed(changes: readonly ReflectorChange[]): void;
  /** All that existed at first has been told. Called once; never again after a relist. */
  synced(): void;
  /** How the reflector is now differs from before. */
  state(state: ReflectorState): void;
}

export type ReflectorChange =
  | { readonly type: 'put'; readonly object: KubeObject }
  | { readonly type: 'delete'; readonly object: Pick<KubeObject, 'metadata'> };

export type ReflectorState =
  | { readonly state: 'listing' | 'watching' }
  /**
   * What failed, and when it is tried again (milliseconds from now). A missing right is `forbidden: true`; it is tried again, too.
   * `absent: true`: the server has no such type, its CRD isn't installed. What was told before stays told in either case.
   */
  | {
      readonly state: 'waiting';
      readonly error: Error;
      readonly forbidden: boolean;
      readonly absent?: boolean;
      readonly retryIn: number;
    };
