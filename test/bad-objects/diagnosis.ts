import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Finding } from '../../src/diagnostics/finding.ts';
import { runCommand } from '../support/run-command.ts';
import type { Weir } from '../support/weir.ts';
import type { placeFault } from './faults.ts';

/** What a finding says apart from its words, which may tell what is in force meanwhile. */
export type Diagnosis = Pick<Finding, 'code' | 'object' | 'field' | 'file' | 'line' | 'column' | 'fix'>;

/** What the fault in the site's manifest, which now is `text`, has to be called. Without the fix, whose words are the catalogue's. */
export function expectedDiagnoses(
  { fault, site, victim }: ReturnType<typeof placeFault>,
  text: string,
  folder: string,
): readonly Omit<Diagnosis, 'fix'>[] {
  const file = join(folder, site.file);
  const lines = text.split('\n');
  return fault.findings(site, victim).map(({ code, kind, name = site.name, field, at: [piece, start] }) => {
    const index = lines.findIndex((line) => line.includes(piece));
    const line = lines[index];
    assert.ok(line !== undefined, `${fault.title}: no line holds ${piece}`);
    const object = kind === 'File' ? { kind, namespace: '', name: file } : { kind, namespace: 'default', name };
    const column = line.indexOf(start, line.indexOf(piece)) + 1;
    return { code, object, field, file, line: index + 1, column };
  });
}

/** Without the fix. */
export function diagnosed(found: readonly Diagnosis[]): readonly Omit<Diagnosis, 'fix'>[] {
  return found.map(({ code, object, field, file, line, column }) => ({
    code,
    object,
    field,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }));
}

/** `GET /api/v1/diagnostics`, in an order of its own. */
export async function liveDiagnoses(weir: Weir): Promise<readonly Diagnosis[]> {
  const page = await weir.admin<{ readonly items: readonly Finding[] }>('/api/v1/diagnostics?limit=1000');
  return diagnoses(page.items);
}

/** `weir check -o json -f FOLDER`. */
export async function checkedDiagnoses(
  folder: string,
): Promise<{ readonly code: number | null; readonly found: readonly Diagnosis[] }> {
  const { code, out, err } = await runCommand(['check', '-o', 'json', '-f', folder]);
  assert.ok(out.startsWith('{'), `weir check ended with ${code}: ${err}`);
  const { findings } = JSON.parse(out) as { readonly findings: readonly Finding[] };
  return { code, found: diagnoses(findings) };
}

function diagnoses(findings: readonly Finding[]): readonly Diagnosis[] {
  return findings
    .flatMap((finding) => diagnosed([finding]).map((place) => ({ ...place, fix: finding.fix })))
    .sort(byPlace);
}

export function byPlace(a: Omit<Diagnosis, 'fix'>, b: Omit<Diagnosis, 'fix'>): number {
  return sortKey(a) < sortKey(b) ? -1 : 1;
}

function sortKey({ file = '', line = 0, column = 0, code }: Omit<Diagnosis, 'fix'>): string {
  return [file, String(line).padStart(6, '0'), String(column).padStart(6, '0'), code].join(' ');
}
