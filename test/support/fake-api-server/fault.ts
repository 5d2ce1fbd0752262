import type { StatusFields } from './status-object.ts';

/** What goes wrong with one answer. */
export type Fault =
  /** An error instead of the answer, as the API server says it. */
  | { readonly kind: 'status'; readonly status: StatusFields }
  /** 200 and nothing. */
  | { readonly kind: 'empty' }
  /** 200 and what is no JSON. In a watch after so many events. */
  | { readonly kind: 'garbage'; readonly after?: number }
  /** The connection ends without an answer. */
  | { readonly kind: 'refused' }
  /** No answer at all, and no end. */
  | { readonly kind: 'silent' }
  /** The answer begins so many milliseconds later. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The connection is reset after so many bytes of the body, wherever that is. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** The answer ends, in good form, after so many bytes of the body. */
  | { readonly kind: 'truncated'; readonly bytes: number }
  /** So many bytes at a time. */
  | { readonly kind: 'slow'; readonly bytes: number }
  /** A watch that begins, and after so many events never says anything more. The connection stays. */
  | { readonly kind: 'stalled'; readonly after: number }
  /** A watch that repeats after each event an older one of the same resource: the `back`th before it. */
  | { readonly kind: 'repeating'; readonly back: number }
  /** A watch in which two neighbouring events of different objects swap places. */
  | { readonly kind: 'reordering' }
  /** A watch that ends with an error after so many events. */
  | { readonly kind: 'error-event'; readonly after: number; readonly status: StatusFields }
  /** A watch that ends after so many events, long before its time. */
  | { readonly kind: 'ended'; readonly after: number };

/** A request as a fault chooses it. */
export interface FaultTarget {
  readonly verb: 'list' | 'watch' | 'get' | 'write';
  readonly group: string;
  readonly plural: string;
  readonly query: URLSearchParams;
}
