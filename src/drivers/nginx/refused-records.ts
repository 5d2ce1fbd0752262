import { finding } from '../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../diagnostics/drivers.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Model } from '../../model/model.ts';
import type { Origin } from '../../model/origin.ts';
import { recordName } from './records/record-key.ts';
import type { DataPlaneState } from './wire.ts';

/** Findings for the records that workers couldn't use, on the objects that they were made from. */
export function refusedRecords(bad: DataPlaneState['bad'], model: Model): readonly Finding[] {
  if (bad.length === 0) return [];
  return bad.flatMap(({ key, error }) => {
    const message = `The data plane could not use the record ${key}: ${error.slice(0, 300)}`;
    return originsOf(key, model).map((origin) => finding(DRIVER_FINDINGS.recordRefused, origin, message));
  });
}

function originsOf(key: string, model: Model): readonly Origin[] {
  const id = key.slice(2);
  const find = <Part>(table: ReadonlyMap<string, Part>): Part | undefined =>
    table.get(id) ?? [...table].find(([name]) => recordName(name) === id)?.[1];
  if (key.startsWith('h:') || key.startsWith('s:')) return find(model.hosts)?.origins ?? [];
  if (key.startsWith('l:')) return [find(model.listeners)?.origin].flatMap((origin) => origin ?? []);
  // Whoever asks for authorities that can't be used is refused for it, too.
  if (key.startsWith('a:')) return [];
  const part = find<{ readonly origin: Origin }>(key.startsWith('c:') ? model.certificates : model.backends);
  return part === undefined ? [] : [part.origin];
}
