import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const SOURCE = join(import.meta.dirname, '..', 'src');
const DATA_PLANE = 'drivers/nginx/dataplane/';
const REFERENCE = join(import.meta.dirname, 'reference');
/** Starts weir, and so may import the kit that does. */
const COMPARISON = 'reference-router.alone.test.ts';

/** Rooms that may import from every other: they wire the program together or show it. */
const WIRING = ['controller', 'cli', 'admin'];

/** What each other room may import, besides itself. A room that isn't here has no place yet: add it with its rule. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ['lib'],
  diagnostics: ['lib', 'model'],
  explain: ['lib', 'model'],
  config: ['lib', 'model', 'diagnostics'],
  snapshot: ['lib', 'model', 'diagnostics'],
  translate: ['lib', 'model', 'diagnostics', 'snapshot'],
  kube: ['lib', 'model', 'diagnostics'],
  sources: ['lib', 'model', 'diagnostics', 'snapshot', 'kube'],
  haproxy: ['lib', 'model', 'diagnostics'],
  drivers: ['lib', 'model', 'diagnostics', 'haproxy'],
  stream: ['lib', 'model', 'diagnostics', 'drivers', 'kube'],
  status: ['lib', 'model', 'diagnostics', 'kube'],
  pools: ['lib', 'model', 'diagnostics', 'config', 'haproxy'],
  workbench: ['lib', 'model', 'diagnostics', 'config', 'kube'],
};

/** Packages that the inner rooms may use, besides Node's own modules. Absent: every one. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  lib: ['typebox'],
  model: ['typebox'],
  diagnostics: ['typebox'],
  explain: ['typebox'],
};

interface Import {
  readonly file: string;
  /** Path in the source folder for a file of ours, else the package's name. */
  readonly target: string;
  readonly own: boolean;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();
/** Tests and what they stand on may reach across rooms. */
const PROGRAM = FILES.filter((file) => !/\.(?:test|fixture)\.ts$/.test(file));
const IMPORTS = PROGRAM.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  const made = (specifier: string, typeOnly: boolean): Import => {
    const own = specifier.startsWith('.');
    return {
      file,
      own,
      typeOnly,
      target: own ? fileOf(normalize(join(dirname(file), specifier))) : packageOf(specifier),
    };
  };
  return importedBy(text).map(({ specifier, typeOnly }) => made(specifier, typeOnly));
}

function importedBy(text: string): readonly { readonly specifier: string; readonly typeOnly: boolean }[] {
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, specifier = '']) => ({ specifier, typeOnly: type !== undefined })),
    ...[...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({ specifier, typeOnly: false })),
  ];
}

/** The data plane's compiler wants no suffix. */
function fileOf(path: string): string {
  if (FILES.includes(path)) return path;
  return [`${path}.ts`, `${path}.d.ts`].find((candidate) => FILES.includes(candidate)) ?? path;
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

function roomOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** Its version is data, not a room. */
const MANIFEST = '../package.json';

function crossing({ file, own, target }: Import): boolean {
  return own && target !== MANIFEST && !file.startsWith(DATA_PLANE) && roomOf(file) !== roomOf(target);
}

function told(problems: readonly string[]): void {
  assert.deepEqual(problems, [], `\n${problems.join('\n')}\n`);
}

test('the imports of the program are found at all', () => {
  assert.ok(PROGRAM.length > 50);
  const known = IMPORTS.map(({ file, target }) => `${file} ${target}`);
  assert.ok(known.includes('model/order.ts model/route.ts'));
  assert.ok(known.includes('model/route.ts typebox'));
  told(
    IMPORTS.filter(({ own, target }) => own && !existsSync(join(SOURCE, target))).map(
      ({ file, target }) => `${file} imports ${target}, which isn't there`,
    ),
  );
});

test('every room has its place among the rules', () => {
  const rooms = new Set(PROGRAM.map(roomOf));
  told(
    [...rooms]
      .filter((room) => ALLOWED[room] === undefined && !WIRING.includes(room))
      .map(
        (room) =>
          `src/${room} has no rule: add it to ALLOWED in test/architecture.test.ts and to the rooms in the documentation`,
      ),
  );
});

test('each room imports only the rooms that it may: lib ← model ← everything, and no driver in a translator', () => {
  told(
    IMPORTS.filter(crossing).flatMap(({ file, target }) => {
      const allowed = ALLOWED[roomOf(file)];
      if (allowed === undefined || allowed.includes(roomOf(target))) return [];
      return [`src/${file} imports src/${target}: ${roomOf(file)} may import only ${allowed.join(', ') || 'itself'}`];
    }),
  );
});

test('the rooms that wire the program are imported by nobody but each other', () => {
  told(
    IMPORTS.filter(crossing)
      .filter(({ file, target }) => WIRING.includes(roomOf(target)) && !WIRING.includes(roomOf(file)))
      .map(({ file, target }) => `src/${file} imports src/${target}: only ${WIRING.join(', ')} import each other`),
  );
});

test('the inner rooms need no package of Kubernetes or of a load balancer', () => {
  told(
    IMPORTS.flatMap(({ file, own, target }) => {
      const allowed = PACKAGES[roomOf(file)];
      if (own || target.startsWith('node:') || allowed === undefined || allowed.includes(target)) return [];
      return [`src/${file} imports the package ${target}: ${roomOf(file)} may use only ${allowed.join(', ')}`];
    }),
  );
});

test('the data plane imports nothing of the controller but the wire types', () => {
  told(
    IMPORTS.filter(({ file, own, target }) => own && file.startsWith(DATA_PLANE) && !target.startsWith(DATA_PLANE))
      .filter(({ target }) => target !== 'drivers/nginx/wire.ts')
      .map(
        ({ file, target }) => `src/${file} imports src/${target}: the data plane may import only drivers/nginx/wire.ts`,
      ),
  );
});

test('nothing of the controller imports the data plane', () => {
  told(
    IMPORTS.filter(({ file, own, target }) => own && !file.startsWith(DATA_PLANE) && target.startsWith(DATA_PLANE)).map(
      ({ file, target }) => `src/${file} imports src/${target}: the data plane runs in nginx, not here`,
    ),
  );
});

test('the reference router shares nothing with weir: only its comparison imports anything but itself, and not src', () => {
  const files = readdirSync(REFERENCE).filter((file) => file.endsWith('.ts'));
  assert.ok(files.includes('router.ts') && files.includes(COMPARISON));
  told(
    files.flatMap((file) =>
      importedBy(readFileSync(join(REFERENCE, file), 'utf8')).flatMap(({ specifier }) => {
        const own = specifier.startsWith('./') && files.includes(specifier.slice(2));
        const support = file === COMPARISON && specifier.startsWith('../support/');
        if (own || support || specifier.startsWith('node:') || specifier === 'fast-check') return [];
        return [`test/reference/${file} imports ${specifier}: it may import only node:, fast-check and its own files`];
      }),
    ),
  );
});

test('no files import each other in a circle', () => {
  const next = Map.groupBy(
    IMPORTS.filter(({ own, typeOnly }) => own && !typeOnly),
    ({ file }) => file,
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const seen = path.indexOf(file);
    if (seen >= 0) circles.push(`a circle of imports: ${[...path.slice(seen), file].join(' → ')}`);
    if (seen >= 0 || done.has(file)) return;
    for (const { target } of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of PROGRAM) visit(file, []);
  told(circles);
});

test('no file has a name that says nothing', () => {
  const empty = /^(?:utils?|helpers?|common|types?|misc)(?:\.|$)/;
  told(
    FILES.flatMap((file) =>
      file
        .split('/')
        .filter((part) => empty.test(part))
        .map((part) => `src/${file}: "${part}" says nothing about what is in it`),
    ),
  );
});

test('files and folders are written in kebab-case', () => {
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:property|test|fixture|d))*\.ts$/;
  told(FILES.filter((file) => !kebab.test(basename(file))).map((file) => `src/${file} is not in kebab-case`));
});
