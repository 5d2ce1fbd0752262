import { noteLameDuck } from './lame-duck';
import { forgetAllRecords, forgetRecord } from './record-caches';
import { settings } from './options';

/**
 * How a worker learns what changed. The data zone's `version` rises with every apply, and `log:VERSION` names the keys
 * that it touched, one a line; `*` stands for all. Every request and handshake reads the version, which costs 0.03 µs;
 * reading it less often would break the promise that an acknowledged change is seen by the next request.
 */
export const KEPT_LOGS = 1024;

let seen = -1;

export function catchUp(): void {
  const [version] = settings.data.get('version');
  if (version !== seen) {
    follow(version as number | undefined);
  }
}

/** Whether something was applied since this worker last caught up. */
export function hasMoved(): boolean {
  const [version] = settings.data.get('version');
  return version !== seen;
}

function follow(version: number | undefined): void {
  noteLameDuck();
  if (version === undefined) {
    forgetAllRecords();
    seen = -1;
    return;
  }
  if (seen < 0 || version < seen || version - seen > KEPT_LOGS) {
    forgetAllRecords();
    seen = version;
    return;
  }
  for (const entry of $range(seen + 1, version)) {
    const [keys] = settings.data.get('log:' + tostring(entry));
    if (keys === undefined || keys === '*') {
      forgetAllRecords();
      break;
    }
    for (const [key] of string.gmatch(keys as string, '[^\n]+')) {
      forgetRecord(key);
    }
  }
  seen = version;
}
