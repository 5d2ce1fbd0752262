import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The program inside nginx, compiled. `dir` goes on nginx's Lua path; `hash` names its sources. */
export interface BuiltDataplane {
  readonly dir: string;
  readonly hash: string;
}

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src/drivers/nginx/dataplane');
const WIRE = join(ROOT, 'src/drivers/nginx/wire.ts');
const OUTPUT = join(ROOT, 'build/dataplane');
const STAMP = '.hash';

/**
 * Compiles src/drivers/nginx/dataplane to build/dataplane/HASH/*.lua unless it is there for these very sources. Each
 * build has a directory of its own, so that builds beside each other don't get in each other's way.
 */
export async function buildDataplane(): Promise<BuiltDataplane> {
  const hash = sourceHash();
  const dir = join(OUTPUT, hash);
  if (existsSync(join(dir, STAMP))) return { dir, hash };
  const scratch = `${dir}.${randomUUID()}`;
  await compile(scratch);
  writeFileSync(join(scratch, 'weir.lua'), 'return require("dataplane.weir")\n');
  writeFileSync(join(scratch, STAMP), hash);
  try {
    renameSync(scratch, dir);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(join(dir, STAMP))) throw error;
  }
  removeFormer(hash);
  return { dir, hash };
}

function sourceHash(): string {
  const hash = createHash('sha256');
  const files = globSync('*.{ts,json}', { cwd: SOURCES }).toSorted();
  for (const file of [...files.map((name) => join(SOURCES, name)), WIRE, import.meta.filename]) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

async function compile(outDir: string): Promise<void> {
  const [{ default: ts }, { default: tstl }] = await Promise.all([import('typescript'), import('typescript-to-lua')]);
  const written: string[] = [];
  const { diagnostics } = tstl.transpileProject(join(SOURCES, 'tsconfig.json'), { outDir }, (name, text) => {
    mkdirSync(dirname(name), { recursive: true });
    writeFileSync(name, text);
    written.push(name);
  });
  const problems = diagnostics.filter((diagnostic) => diagnostic.category === ts.DiagnosticCategory.Error);
  if (problems.length > 0) {
    rmSync(outDir, { recursive: true, force: true });
    const host = {
      getCurrentDirectory: () => ROOT,
      getCanonicalFileName: (name: string) => name,
      getNewLine: () => '\n',
    };
    throw new Error(`The data plane does not compile:\n${ts.formatDiagnostics(problems, host)}`);
  }
  if (written.length === 0) throw new Error('The data plane compiled to nothing.');
}

/** Keeps the newest few: another process may be starting nginx with one of them. */
function removeFormer(current: string): void {
  const builds = globSync('*/', { cwd: OUTPUT })
    .map((name) => name.replace(/\/$/u, ''))
    .filter((name) => name !== current && existsSync(join(OUTPUT, name, STAMP)))
    .sort((a, b) => statSync(join(OUTPUT, a)).mtimeMs - statSync(join(OUTPUT, b)).mtimeMs);
  for (const name of builds.slice(0, Math.max(0, builds.length - 3))) {
    rmSync(join(OUTPUT, name), { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    const { dir } = await buildDataplane();
    console.log(relative(ROOT, dir));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
