/**
 * What controller and proxy say to each other, each message one checked line (line-channel.ts). The proxy begins with
 * `hello`; the controller answers `welcome` or `refused`. Then the controller sends part lines as the state file holds them,
 * and a `commit` when they make a model; the proxy answers `applied` when all of them are in force, `failed` when they
 * could not be brought in force just now. Both say `beat` when they have nothing to say.
 */
import type { Finding } from '../diagnostics/finding.ts';
import type { ModelTable } from '../model/model.ts';
import type { PartLine } from '../model/part-line.ts';

/** Raised when messages, or the model's parts, change so that an older weir would misread them. */
export const STREAM_VERSION = 1;

/** What a proxy has in full: a generation of one controller's run. */
export interface Position {
  readonly epoch: string;
  readonly generation: number;
}

/** How a proxy is, for the controller's status. */
export interface ProxyReport {
  readonly ready: boolean;
  readonly healthy: boolean;
  /** Where the model that it serves comes from. */
  readonly model: 'none' | 'saved' | 'source';
  readonly reloads: number;
  readonly error?: string;
  readonly problems: readonly string[];
  /** What its driver tells about its load balancer. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

/** A regular expression to be tried by the engine of the proxy's load balancer: a RegexQuestion of src/explain. */
export interface PatternQuestion {
  readonly pattern: string;
  readonly subject: string;
  readonly ignoreCase: boolean;
  readonly anchored: boolean;
}

export type ProxyMessage =
  | {
      readonly type: 'hello';
      readonly weir: 'model-stream';
      readonly versions: readonly number[];
      readonly software: string;
      readonly name: string;
      /** Of this run of the proxy: tells it from another of the same name. */
      readonly instance: string;
      readonly have?: Position;
    }
  /** Answers `compare`: digests of all parts that the proxy has, in several messages; the last one says so. */
  | {
      readonly type: 'digests';
      readonly table: ModelTable;
      readonly entries: readonly (readonly [key: string, digest: string])[];
      readonly last: boolean;
    }
  | { readonly type: 'applied'; readonly commit: number }
  | { readonly type: 'failed'; readonly error: ErrorView }
  /** All findings as of now, sent when they have changed, before the `applied` that brought them. */
  | { readonly type: 'findings'; readonly planned: readonly Finding[]; readonly quarantined: readonly Finding[] }
  | { readonly type: 'report'; readonly report: ProxyReport }
  | { readonly type: 'reloaded'; readonly reason: string; readonly detail: string }
  /** Asks to be told when all that the controller's source holds now is in force in this proxy. */
  | { readonly type: 'settle'; readonly id: number }
  | { readonly type: 'matched'; readonly id: number; readonly answer?: object; readonly error?: ErrorView }
  | { readonly type: 'beat' };

export type ControllerMessage =
  | {
      readonly type: 'welcome';
      readonly weir: 'model-stream';
      readonly version: number;
      readonly software: string;
      readonly controller: string;
      readonly epoch: string;
      readonly health: SourceHealth;
    }
  | { readonly type: 'refused'; readonly error: ErrorView }
  | { readonly type: 'compare' }
  | PartLine
  | { readonly type: 'commit'; readonly commit: number; readonly generation: number }
  | { readonly type: 'settled'; readonly id: number; readonly done: boolean }
  | { readonly type: 'match'; readonly id: number; readonly question: PatternQuestion }
  | { readonly type: 'beat'; readonly health?: SourceHealth };

/** Whether what the controller knows is what its source says now. */
export interface SourceHealth {
  readonly healthy: boolean;
  readonly problems: readonly string[];
}
