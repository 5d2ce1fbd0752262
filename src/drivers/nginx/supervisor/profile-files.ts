/**
 * The files that profiles name: authorities and client certificates of TLS identities. nginx's master reads them when it
 * loads a configuration, and no worker ever does, so nobody else may. They are named by their content: one that is there
 * is right, and stays as long as a configuration names it that nginx may load again.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Profile } from '../conf/profile.ts';
import type { StateDirectory } from './state-directory.ts';

/** Below the run directory. */
const FOLDER = 'identities';

/** Throws as `StateDirectory.writePrivate` does. */
export function writeProfileFiles(directory: StateDirectory, profiles: readonly Profile[]): void {
  const files = new Map(profiles.flatMap(({ files = [] }) => files).map((file) => [file.name, file]));
  for (const { name, content } of files.values()) {
    const text = content.reveal();
    if (directory.read(name) === text) continue;
    mkdirSync(join(directory.run, dirname(name)), { recursive: true, mode: 0o700 });
    directory.writePrivate(name, text);
  }
}

/** Removes what none of the configurations names. `configurations`: texts of those that nginx may load again. */
export function removeUnnamedFiles(directory: StateDirectory, configurations: readonly string[]): void {
  const folder = join(directory.run, FOLDER);
  for (const name of filesIn(folder)) {
    if (!configurations.some((text) => text.includes(name))) rmSync(join(folder, name), { force: true });
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
