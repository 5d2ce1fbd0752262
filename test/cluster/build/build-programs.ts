import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runTool } from '../machine/run-tool.ts';
import type { Progress } from '../progress.ts';
import { type BuildCache, contentsOf } from './build-cache.ts';
import { findGo } from './go-toolchain.ts';
import { PROGRAMS, type ProgramGroup } from './programs.ts';

const SOURCES = resolve(import.meta.dirname, '../go');
/** Without the C compiler: what is built runs in an image without any library, and needs none here. */
const ENVIRONMENT = { CGO_ENABLED: '0', GOWORK: 'off', GOTOOLCHAIN: 'local', GOROOT: '' };

export type GroupName = keyof typeof PROGRAMS;

/** Builds what isn't in the cache, one after the other (each takes all cores), gently: others use the machine too. */
export class ProgramBuilder {
  readonly #cache: BuildCache;
  readonly #progress: Progress;
  #go: Promise<string> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(cache: BuildCache, progress: Progress) {
    this.#cache = cache;
    this.#progress = progress;
  }

  /** The folder with a group's executables, after all that were asked for before. */
  build(name: GroupName): Promise<string> {
    const folder = this.#last.then(() => this.#folder(PROGRAMS[name]));
    this.#last = folder.catch(() => undefined);
    return folder;
  }

  #folder(group: ProgramGroup): Promise<string> {
    const source = join(SOURCES, group.module);
    // What is only said while building makes no other result.
    const inputs = [JSON.stringify({ ...group, takes: '' }), process.arch, ...contentsOf(source)];
    return this.#cache.folder(group.module, inputs, async (scratch) => {
      this.#go ??= findGo(this.#cache, this.#progress);
      await buildGroup(await this.#go, group, source, scratch, this.#progress);
    });
  }
}

async function buildGroup(
  go: string,
  group: ProgramGroup,
  source: string,
  target: string,
  progress: Progress,
): Promise<void> {
  const set = Object.entries(group.set ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  for (const { file, package: from, names = [] } of group.executables as ProgramGroup['executables']) {
    let packages = 0;
    const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-mod=readonly'];
    await progress.step(
      `building ${names.length > 0 ? names.join(', ') : file} (${group.module}: ${group.takes} the first time)`,
      () =>
        runTool(
          'nice',
          ['-n', '10', go, ...args, '-ldflags', ['-s', '-w', ...set].join(' '), '-o', join(target, file), from],
          {
            cwd: source,
            env: ENVIRONMENT,
            onStderr: (text) => (packages += text.split('\n').length - 1),
          },
        ),
      () => `${packages} packages compiled`,
    );
    for (const name of names) symlinkSync(file, join(target, name));
  }
}
