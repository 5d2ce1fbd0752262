/** What a test tells its load process. */
export type LoadCommand =
  | {
      readonly type: 'start';
      readonly httpPort: number;
      readonly httpsPort: number;
      readonly hosts: readonly string[];
      /** Requests a second, all kinds together. */
      readonly rate: number;
    }
  | { readonly type: 'report' }
  | { readonly type: 'stop' };

/** What it answers: where its backends listen, or how the load went so far. */
export type LoadAnswer =
  | { readonly type: 'backends'; readonly endpoints: readonly { readonly address: string; readonly port: number }[] }
  | { readonly type: 'report'; readonly report: LoadReport };

export const LOAD_KINDS = ['http kept', 'http new', 'https kept', 'https new'] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

export interface LoadReport {
  /** Answered or failed. */
  readonly requests: number;
  readonly byKind: Readonly<Record<LoadKind, number>>;
  readonly failed: number;
  readonly failedByKind: Readonly<Record<LoadKind, number>>;
  /** Those of the failed that met a kept connection which was closed without the first byte of an answer. */
  readonly idleClosed: number;
  /** The first 50, in words; those counted in `idleClosed` last. */
  readonly failures: readonly string[];
  readonly seconds: number;
  /** Longest time without any good answer, in seconds. */
  readonly longestGap: number;
  /** Milliseconds, of the answers. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}
