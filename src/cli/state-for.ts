import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { lockState } from '../controller/state-lock.ts';
import { StateStore } from '../controller/state-store.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { Model } from '../model/model.ts';
import { UsageError } from './usage-error.ts';

/** Milliseconds between two lines that say that the model still can't be saved. */
const SAVING_QUIET = 30_000;

export interface HeldDirectory {
  /** Absolute. */
  readonly directory: string;
  release(): Promise<void>;
}

/** Takes the state directory for this process. Rejects with a UsageError where it can't be used, `state-locked` where another weir has it. */
export async function holdStateDirectory(settings: Settings, log: Logger): Promise<HeldDirectory> {
  // nginx would look for a relative path in its own directory.
  const directory = resolve(settings['state-dir']!);
  const lock = await lockState(directory).catch((error: unknown) => {
    if (error instanceof CodedError) throw error;
    throw new UsageError(
      `the state directory ${directory} can't be used (${(error as NodeJS.ErrnoException).code}).`,
      'Give another with --state-dir.',
    );
  });
  if (lock.problem !== undefined) {
    log.warn(`the state directory is held without its file weir.pid, which can't be written: ${lock.problem.message}`);
  }
  return { directory, release: () => lock.release() };
}

export interface SavedState {
  readonly store: StateStore;
  /** The last good model of an earlier run. */
  readonly saved?: Model;
}

/** Opens the saved model in a directory that is held. */
export async function openSavedState(directory: string, log: Logger): Promise<SavedState> {
  const { store, reading } = await StateStore.open({ directory, onProblem: noteSaving(log) }).catch(
    (error: unknown) => {
      if (!(error instanceof CodedError)) throw error;
      throw new UsageError(error.message, error.remedy ?? '');
    },
  );
  if (reading.problem !== undefined) log.warn(`saved state: ${reading.problem}`);
  return { store, ...(reading.model === undefined ? {} : { saved: reading.model }) };
}

/** Says that the model can't be saved for as long as it can't, at most every half minute, and when it can again. */
function noteSaving(log: Logger): (problem: Error | undefined) => void {
  let quietUntil = -Infinity;
  return (problem) => {
    const now = performance.now();
    if (problem !== undefined && now < quietUntil) return;
    quietUntil = problem === undefined ? -Infinity : now + SAVING_QUIET;
    if (problem === undefined) log.info('the model is saved again');
    else
      log.error(
        { code: (problem as NodeJS.ErrnoException).code },
        `the model can't be saved: ${problem.message}. What is served goes on; it is tried again every few seconds.`,
      );
  };
}
