import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const docs = join(import.meta.dirname, '../docs');
const lines = readFileSync(join(docs, 'behaviours.md'), 'utf8').split('\n');

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  readonly file: string | undefined;
  readonly title: string;
}

/** `| what | [name](../test/file.test.ts) | title |`; a bar inside a cell is written `\|`. */
function rows(): Row[] {
  return lines.flatMap((text, index) => {
    if (!text.startsWith('|') || /^\| (Behaviour|---) /.test(text)) return [];
    const cells = text
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const file = /^\[[^\]]+\]\(([^)]+\.test\.ts)\)$/.exec(cells[1] ?? '')?.[1];
    return [{ line: index + 1, cells, file, title: cells[2] ?? '' }];
  });
}

/** Titles of the tests that a file declares by a literal. */
function titles(text: string): string[] {
  const declared = /^[ \t]*(?:await )?(?:t\.)?(?:test|it)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gms;
  return [...text.matchAll(declared)].map(([, , title = '']) => title.replace(/\\(.)/g, '$1'));
}

/** A test made for several values has `${…}` where the row has the value. */
function stands(declared: string, title: string): boolean {
  const parts = declared.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`).test(title);
}

const sources = new Map<string, string>();
for (const { file } of rows()) {
  const path = join(docs, file ?? '');
  if (file !== undefined && existsSync(path)) sources.set(file, readFileSync(path, 'utf8'));
}

test('every row of the behaviours names a behaviour, a file that exists, and a test that stands in it', () => {
  const wrong = rows().flatMap(({ line, cells, file, title }) => {
    const at = `docs/behaviours.md:${line}`;
    if (cells.length !== 3 || cells.includes('')) return [`${at}: not three filled cells`];
    const source = file === undefined ? undefined : sources.get(file);
    if (source === undefined) return [`${at}: no test file ${cells[1]}`];
    return titles(source).some((declared) => stands(declared, title))
      ? []
      : [`${at}: no test ${JSON.stringify(title)} in ${file}`];
  });
  assert.deepEqual(wrong, []);
});

test('titles are unique within each file that the behaviours name', () => {
  const twice = [...sources].flatMap(([file, source]) => {
    const all = titles(source);
    return all.filter((title, index) => all.indexOf(title) !== index).map((title) => `${file}: ${title}`);
  });
  assert.deepEqual(twice, []);
});

test('every section of the behaviours has rows', () => {
  const sections = lines.flatMap((text, index) => (/^## [A-H]\. /.test(text) ? [{ text, line: index + 1 }] : []));
  assert.equal(sections.length, 8);
  const all = rows();
  const empty = sections.filter(({ line }, index) => {
    const end = sections[index + 1]?.line ?? Infinity;
    return !all.some((row) => row.line > line && row.line < end);
  });
  assert.deepEqual(empty, []);
});
