/**
 * Writes the pages of docs/reference/ from the tables, schemas and commands in the sources.
 * With `--check` writes nothing and ends with 1 when a page is not what it would write.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CATALOGUE } from '../src/diagnostics/catalogue.ts';
import { annotationReference } from '../src/translate/ingress/annotations/reference.ts';
import { adminApiPage } from './reference/admin-api-page.ts';
import { annotationsPage } from './reference/annotations-page.ts';
import { cliPage } from './reference/cli-page.ts';
import { configPage } from './reference/config-page.ts';
import { findingsPage } from './reference/findings-page.ts';
import { metricsPage } from './reference/metrics-page.ts';
import { rbacPage } from './reference/rbac-page.ts';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const pages: readonly (readonly [path: string, text: string])[] = [
  ['docs/reference/annotations.md', annotationsPage(annotationReference())],
  ['docs/reference/findings.md', findingsPage(CATALOGUE)],
  ['docs/reference/cli.md', await cliPage()],
  ['docs/reference/config.md', configPage()],
  ['docs/reference/metrics.md', metricsPage()],
  ['docs/reference/rbac.md', rbacPage()],
  ['docs/reference/admin-api.md', await adminApiPage()],
];

for (const [path, text] of pages) {
  const file = join(root, path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.error(`wrote ${path}`);
  } else if (contents(file) !== text) {
    console.error(`${path} is not up to date: run node tools/generate-reference.ts`);
    process.exitCode = 1;
  }
}

function contents(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
