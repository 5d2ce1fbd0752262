import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });

test('every relative link in the documentation leads to a file', () => {
  const dead = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(dead, []);
});

test('every path of the project that the documentation names is there', () => {
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/`((?:src|test|tools|examples|bin|docs)\/[\w./-]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('every decision is in the list of decisions', () => {
  const list = readFileSync(join(root, 'docs/adr/README.md'), 'utf8');
  const unlisted = globSync('docs/adr/[0-9]*.md', { cwd: root }).filter(
    (file) => !list.includes(`(${file.slice('docs/adr/'.length)})`),
  );
  assert.deepEqual(unlisted, []);
});
