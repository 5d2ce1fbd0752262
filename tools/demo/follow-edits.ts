import { relative } from 'node:path';
import { findingLine } from '../../src/cli/finding-text.ts';
import type { Finding } from '../../src/diagnostics/finding.ts';
import type { DemoWeir } from './demo-weir.ts';

/** Tells, a line each, what weir makes of the edits to the manifests, until the signal aborts. */
export async function followEdits(
  weir: DemoWeir,
  adminPort: number,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let generation = (await weir.status())?.appliedGeneration;
  let known = new Set<string>();
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const status = await weir.status();
    if (status === undefined) continue;
    const lines = new Set((await findings(adminPort)).map(lineOf));
    for (const line of lines) if (!known.has(line)) say(line);
    for (const line of known) if (!lines.has(line)) say(`resolved: ${line}`);
    known = lines;
    if (generation !== undefined && status.appliedGeneration !== generation) {
      say(`in force: change ${status.appliedGeneration} (reloads so far: ${status.reloads})`);
    }
    generation = status.appliedGeneration;
  }
}

async function findings(adminPort: number): Promise<readonly Finding[]> {
  try {
    const reply = await fetch(`http://127.0.0.1:${adminPort}/api/v1/diagnostics`);
    const page = (await reply.json()) as { readonly items: readonly Finding[] };
    return page.items;
  } catch {
    return [];
  }
}

/** As weir's log says it, with the path as one types it here. */
function lineOf(finding: Finding): string {
  const { file } = finding;
  return findingLine(file === undefined ? finding : { ...finding, file: relative(process.cwd(), file) });
}
