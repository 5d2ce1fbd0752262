import { type FSWatcher, watch } from 'node:fs';
import { errorCode } from './read-file.ts';

/**
 * Watches one directory, not what is below it. `changed` gets the entry's name, or undefined when anything may have
 * changed, and whether the entry came or went (was moved here, made, removed) rather than being written to. Undefined if there is nothing to watch (any more); `refused` if the system has no watches left.
 */
export function watchFolder(
  path: string,
  changed: (name: string | undefined, moved: boolean) => void,
): FSWatcher | 'refused' | undefined {
  try {
    const watcher = watch(path, { persistent: false }, (event, name) => changed(name ?? undefined, event === 'rename'));
    // The directory went away: whoever lists its parent finds out.
    watcher.on('error', () => changed(undefined, true));
    return watcher;
  } catch (error) {
    return ['ENOSPC', 'EMFILE', 'ENFILE'].includes(errorCode(error)) ? 'refused' : undefined;
  }
}
