import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path/posix';
import { neededLibraries } from '../executable/needed-libraries.ts';
import type { FileEntry } from './file-entry.ts';

/**
 * `PATH needs NAME` for every shared library that a program or library of the image asks for, and for every target of a
 * symbolic link, that the image has not.
 */
export function missingFiles(entries: readonly FileEntry[]): readonly string[] {
  return [...missingTargets(entries), ...missingLibraries(entries)];
}

function missingTargets(entries: readonly FileEntry[]): readonly string[] {
  const present = new Set(entries.map(({ path }) => path));
  return entries.flatMap(({ path, target, kind }) => {
    if (target === undefined) return [];
    const wanted =
      kind === 'hardlink' || target.startsWith('/') ? target.replace(/^\//u, '') : join(dirname(path), target);
    const inUsr = wanted.replace(/^(?=lib(?:64)?\/|s?bin\/)/u, 'usr/');
    return present.has(inUsr) ? [] : [`${path} needs ${wanted}`];
  });
}

function missingLibraries(entries: readonly FileEntry[]): readonly string[] {
  const present = new Set(entries.map(({ path }) => basename(path)));
  const scratch = mkdtempSync(join(tmpdir(), 'weir-image-'));
  try {
    const file = join(scratch, 'elf');
    return entries.flatMap(({ path, kind, content }) => {
      if (kind !== 'file' || Buffer.from(content.subarray(1, 4)).toString() !== 'ELF') return [];
      writeFileSync(file, content);
      return neededLibraries(file).flatMap((name) => (present.has(name) ? [] : [`${path} needs ${name}`]));
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
