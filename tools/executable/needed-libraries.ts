import { execFileSync } from 'node:child_process';

/** What the executable may want of a machine: the C library and its parts, the C++ library, libatomic. */
const ALLOWED = /^(?:lib(?:c|m|dl|pthread|rt|gcc_s|stdc\+\+|atomic)\.so\.\d+|ld-linux[-\w]*\.so\.\d+)$/u;

/** Names of the shared libraries that a program asks its loader for, sorted. */
export function neededLibraries(path: string): readonly string[] {
  const text = execFileSync('objdump', ['-p', path], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return [...text.matchAll(/^\s+NEEDED\s+(\S+)$/gmu)].map(([, name = '']) => name).toSorted();
}

export function unexpectedLibraries(names: readonly string[]): readonly string[] {
  return names.filter((name) => !ALLOWED.test(name));
}
