import { type FSWatcher, realpathSync } from 'node:fs';
import path from 'node:path';
import { watchFolder } from './folder-watch.ts';

interface Target {
  readonly watcher: FSWatcher | undefined;
  /** Name in the directory → symbolic links that lead to it. */
  readonly links: Map<string, Set<string>>;
}

/** Watches the files behind symbolic links: writing to one is no event in the directory of the link. */
export class LinkWatch {
  readonly #changed: (link: string) => void;
  readonly #targets = new Map<string, Target>();
  readonly #real = new Map<string, string>();

  /** `changed` gets the path of a link whose file may have changed. */
  constructor(changed: (link: string) => void) {
    this.#changed = changed;
  }

  /** Follows `link` to where it leads now. */
  follow(link: string): void {
    let real: string;
    try {
      real = realpathSync(link);
    } catch {
      this.forget(link);
      return;
    }
    if (this.#real.get(link) === real) return;
    this.forget(link);
    this.#real.set(link, real);
    const directory = path.dirname(real);
    const target = this.#targets.get(directory) ?? this.#open(directory);
    const links = target.links.get(path.basename(real)) ?? new Set<string>();
    target.links.set(path.basename(real), links.add(link));
  }

  forget(link: string): void {
    const real = this.#real.get(link);
    if (real === undefined) return;
    this.#real.delete(link);
    const target = this.#targets.get(path.dirname(real));
    const links = target?.links.get(path.basename(real));
    links?.delete(link);
    if (links?.size === 0) target?.links.delete(path.basename(real));
    if (target?.links.size === 0) {
      target.watcher?.close();
      this.#targets.delete(path.dirname(real));
    }
  }

  close(): void {
    for (const target of this.#targets.values()) target.watcher?.close();
    this.#targets.clear();
    this.#real.clear();
  }

  #open(directory: string): Target {
    const links = new Map<string, Set<string>>();
    const watcher = watchFolder(directory, (name) => {
      const affected = name === undefined ? [...links.values()].flatMap((set) => [...set]) : links.get(name);
      for (const link of affected ?? []) this.#changed(link);
    });
    const target = { watcher: watcher === 'refused' ? undefined : watcher, links };
    this.#targets.set(directory, target);
    return target;
  }
}
