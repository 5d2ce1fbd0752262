import type { Finding } from '../diagnostics/finding.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { SourceActivity } from '../sources/source.ts';

/** Told by a feed as its model changes; answers with the generation that this made. Nothing of it comes before `synced`, except findings. */
export interface ModelFeedSink {
  /** The model's parts with these keys changed; `arrived` is when that became known (performance.now()). */
  changed(delta: ModelDelta, arrived: number): number;
  /** What changed isn't known: the whole model is to be compared. */
  replaced(): number;
  /** The model is complete for the first time. */
  synced(): number;
  /** Something about the findings, or about the health of where they come from, may have changed. */
  noted(): void;
}

/** Where the drivers' model comes from: objects that are translated here, or the stream of a controller elsewhere. */
export interface ModelFeed {
  /** Of the source, for people and metrics: `files`, `kubernetes`, `stream`. */
  readonly name: string;
  /** Live: changed by the feed itself, told to the sink. */
  readonly model: Model;
  /** Whether everything that existed at start was delivered, so that the model will be complete without anybody's help. */
  readonly isComplete: boolean;
  readonly isSynced: boolean;
  /** Begins to deliver. Resolves when there is nothing more to wait for at the start; rejects if there can never be a model. */
  start(sink: ModelFeedSink): Promise<void>;
  /** Whether the model is what its source says now. */
  healthy(): boolean;
  /** Why it isn't, a reason each. */
  problems(): readonly string[];
  /** Files of which not everything could be read. */
  unread(): readonly string[];
  /** What was read, by resource; left out where nothing is to be said. */
  activity?(): readonly SourceActivity[];
  findings(): readonly Finding[];
  /** The finding with its line and column, where they are known. */
  locate(finding: Finding): Promise<Finding>;
  /** Resolves when what the source holds at this moment was told to the sink, or when the signal gives up. Rejects where that can't be known. */
  settle(signal: AbortSignal): Promise<void>;
  /** Tells nothing any more, at once; resolves when the source has stopped, too. */
  stop(): Promise<void>;
  /** Writes what should outlive the process. */
  flush(): Promise<void>;
}
