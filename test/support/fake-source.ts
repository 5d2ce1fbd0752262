import type { Source, SourceSink } from '../../src/sources/source.ts';

/** For tests: a source that delivers when it is told to. */
export class FakeSource implements Source {
  readonly name = 'fake';
  isHealthy = true;
  startError: Error | undefined;
  stopped = false;
  /** Awaited by `settle`; what it does before it resolves is what "the source holds now". */
  onSettle: () => Promise<void> = async () => undefined;
  locate: NonNullable<Source['locate']> = async (finding) => finding;
  #sink: SourceSink | undefined;

  get sink(): SourceSink {
    if (this.#sink === undefined) throw new Error('the source was not started');
    return this.#sink;
  }

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    if (this.startError !== undefined) throw this.startError;
  }

  healthy(): boolean {
    return this.isHealthy;
  }

  async stop(): Promise<void> {
    this.stopped = true;
  }

  settle(): Promise<void> {
    return this.onSettle();
  }
}
