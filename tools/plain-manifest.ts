/**
 * Writes deploy/weir.yaml: what the chart makes of its default values, for those without Helm.
 *
 * Usage: tools/plain-manifest.ts HELM [--check]     (HELM: path of helm 3 or 4)
 * `--check` writes nothing; exit 1 where the file is not what the chart makes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const FILE = join(DEPLOY, 'weir.yaml');
const HEAD =
  '# What `helm template weir deploy/helm/weir -n weir` makes of the default values. Written by tools/plain-manifest.ts.\n';

export function plainManifest(helm: string): string {
  const text = execFileSync(helm, ['template', 'weir', join(DEPLOY, 'helm/weir'), '-n', 'weir'], { encoding: 'utf8' });
  const lines = text
    .split('\n')
    .filter((line) => !/^# Source: |^ +(?:helm\.sh\/chart|app\.kubernetes\.io\/managed-by): /u.test(line));
  return (
    HEAD +
    lines
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .join('\n') +
    '\n'
  );
}

if (import.meta.main) {
  const [helm = 'helm', option] = process.argv.slice(2);
  const wanted = plainManifest(helm);
  if (option !== '--check') writeFileSync(FILE, wanted);
  else if (readFileSync(FILE, 'utf8') !== wanted) {
    console.error('deploy/weir.yaml is not what the chart makes. Run tools/plain-manifest.ts HELM.');
    process.exitCode = 1;
  }
}
