import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, type Stats, constants } from 'node:fs';
import { MANIFEST_LIMITS } from './manifest-limits.ts';

export type FileContent =
  | { readonly type: 'text'; readonly text: string; readonly signature: string; readonly modified: number }
  /** It changed while it was read. */
  | { readonly type: 'unsettled' }
  | { readonly type: 'gone' }
  | { readonly type: 'too-large'; readonly bytes: number; readonly signature: string }
  | { readonly type: 'unreadable'; readonly reason: string };

/**
 * Reads a regular file whole. Synchronously: a thread pool round trip for each of 30,000 small files costs several times
 * the reading. Never blocks on a pipe.
 */
export function readFile(path: string): FileContent {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return failure(error);
  }
  try {
    const before = fstatSync(descriptor);
    if (!before.isFile()) return { type: 'unreadable', reason: 'it is not a regular file' };
    const signature = signatureOf(before);
    if (before.size > MANIFEST_LIMITS.file) return { type: 'too-large', bytes: before.size, signature };
    const buffer = Buffer.allocUnsafe(before.size);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, length);
      if (count === 0) break;
      length += count;
    }
    if (length < before.size || signatureOf(fstatSync(descriptor)) !== signature) return { type: 'unsettled' };
    if (!isUtf8(buffer)) return { type: 'unreadable', reason: 'it is not UTF-8 text' };
    return { type: 'text', text: buffer.toString('utf8'), signature, modified: before.mtimeMs };
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(descriptor);
  }
}

/** Differs when the file was replaced or written to, as far as the clock of the file system can tell. */
export function signatureOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
}

/** `EACCES`, or the error's words where it has no code. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return String(error);
}

export function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** What the system said, in words. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'its symbolic links go round in circles';
  if (isGone(error)) return 'it does not exist';
  return code;
}

function failure(error: unknown): FileContent {
  return isGone(error) ? { type: 'gone' } : { type: 'unreadable', reason: reasonOf(error) };
}
