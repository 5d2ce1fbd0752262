import { Reflector, type ReflectorOptions } from './reflector.ts';

export interface RunningReflector {
  /** At any moment, also from within the sink; the sink is told nothing more. */
  stop(): void;
  /** Resolves when its last request has ended. */
  readonly ended: Promise<void>;
}

/** Begins to tell `sink` of the objects of a scope, until it is stopped. */
export function startReflector(options: ReflectorOptions): RunningReflector {
  const reflector = new Reflector(options);
  return { ended: reflector.run(), stop: () => reflector.stop() };
}
