import path from 'node:path';
import { setImmediate as yieldToOthers, setTimeout as sleep } from 'node:timers/promises';
import { faultFinding } from '../../diagnostics/fault-finding.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import type { Source, SourceSink } from '../source.ts';
import { fileFinding } from './file-finding.ts';
import { FILES_SOURCE_TIMING, type FilesSourceTiming } from './files-source-timing.ts';
import { FindingLocator } from './finding-locator.ts';
import { folderFindings } from './folder-findings.ts';
import type { HeldObjects } from './held-objects.ts';
import { ManifestIndex } from './manifest-index.ts';
import { type ManifestFolder, ManifestFolders } from './manifest-folders.ts';
import type { ManifestObject } from './manifest-object.ts';
import type { Depth, ManifestTree } from './manifest-tree.ts';
import { Pause } from './pause.ts';
import { PendingLooks, type PendingLook } from './pending-looks.ts';
import { type Manifest, readManifest } from './read-manifest.ts';
import { fileOrigin } from './read-objects.ts';
import { ReportedFindings } from './reported-findings.ts';
import { UndeliveredChanges } from './undelivered-changes.ts';

/** inotify drops events, and says nothing, when 16,384 are waiting: after a burst of so many, everything is compared. */
const BURST = 8_000;

/**
 * Objects from folders (or single files) of manifests, watched.
 *
 * A folder that is missing or unreadable is reported, makes the source unhealthy, and keeps what was read from it; one
 * that is empty means that nothing is wanted. `synced` is called when every folder was there once, which may be long
 * after `start`: until then there is no full view.
 */
export class FilesSource implements Source {
  readonly name = 'files';
  readonly #timing: FilesSourceTiming;
  readonly #folders: ManifestFolders;
  readonly #index: ManifestIndex;
  readonly #pending: PendingLooks;
  readonly #locator: FindingLocator;
  readonly #held: HeldObjects | undefined;
  /** Files below folders that can't be read. */
  #outOfReach: ReadonlySet<string> = new Set();
  readonly #unread = new Set<string>();
  /** Files that weir failed to read, and when they are tried again. */
  readonly #failed = new Map<string, number>();
  readonly #undelivered = new UndeliveredChanges();
  readonly #reported = new ReportedFindings();
  #sink: SourceSink | undefined;
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #timerDue = 0;
  #probe: NodeJS.Timeout | undefined;
  #lastRelist = 0;
  #events = 0;
  #synced = false;
  #stopped = false;

  /**
   * `folders` in the order in which they count where an object is defined twice; a single file will do, too. `held`
   * carries what broken files hold over a restart.
   */
  constructor(options: {
    readonly folders: readonly string[];
    readonly timing?: Partial<FilesSourceTiming>;
    readonly held?: HeldObjects;
  }) {
    this.#timing = { ...FILES_SOURCE_TIMING, ...options.timing };
    this.#pending = new PendingLooks(this.#timing);
    this.#folders = new ManifestFolders(options.folders, (target, depth, moved) => this.#event(target, depth, moved));
    this.#index = new ManifestIndex((file) => this.#folders.of(file)?.position ?? 0);
    this.#locator = new FindingLocator();
    this.#held = options.held;
  }

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    this.#lookAtEverything();
    await this.#run();
    if (this.#stopped) return;
    this.#probe = setInterval(() => this.#probeRoots(), this.#timing.probe);
    this.#probe.unref();
  }

  healthy(): boolean {
    return !this.#stopped && this.#synced && this.#undelivered.isEmpty && this.#folders.areReadable();
  }

  problems(): readonly string[] {
    const folders = this.#folders.problems();
    return this.#undelivered.isEmpty ? folders : [...folders, 'what was read can not be taken in; it is tried again'];
  }

  unread(): readonly string[] {
    return [...this.#unread, ...this.#folders.unnameable()].sort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#probe);
    this.#folders.close();
    await this.#running;
    await this.#held?.close();
    this.#locator.close();
  }

  async settle(): Promise<void> {
    this.#lookAtEverything();
    const asked = performance.now();
    for (;;) {
      await this.#run();
      const next = this.#stopped ? undefined : this.#pending.next(asked);
      if (next === undefined) {
        this.#undelivered.assertEmpty();
        return this.#held?.flush();
      }
      await sleep(Math.max(0, next - performance.now()) + 1);
    }
  }

  locate(finding: Finding): Promise<Finding> {
    return this.#locator.locate(finding, this.#index.find(finding.object)?.place);
  }

  #event(target: string, depth: Depth, moved: boolean): void {
    if (this.#stopped) return;
    this.#events += 1;
    // Only its own time: to look for the next of all at each of 20,000 events would cost 20,000 times that.
    this.#scheduleAt(this.#pending.event(target, depth, performance.now(), moved));
  }

  #lookAtEverything(): void {
    const now = performance.now();
    for (const root of this.#folders.all) this.#pending.at(root.path, 'everything', now, now);
  }

  #probeRoots(): void {
    const now = performance.now();
    const relist = now - this.#lastRelist >= this.#timing.relist;
    if (relist) this.#lastRelist = now;
    for (const root of this.#folders.all) {
      const { problem, moved } = root.tree.probe();
      const unreadable = root.tree.unreadable().has(root.path);
      if (problem !== root.problem || moved === true || unreadable) this.#look(root.path, 'everything', now);
      else if (!this.#undelivered.isEmpty) this.#look(root.path, 'entry', now);
      else if (relist && problem === undefined) {
        for (const folder of root.tree.unreadable().keys()) this.#look(folder, 'entry', now);
        for (const folder of root.tree.unwatched()) this.#look(folder, 'entries', now);
      }
    }
    for (const [file, due] of this.#failed) if (due <= now) this.#look(file, 'entry', now);
    this.#schedule();
  }

  #look(target: string, depth: Depth, now: number): void {
    this.#pending.at(target, depth, now, now);
  }

  #schedule(): void {
    const next = this.#pending.next();
    if (next !== undefined) this.#scheduleAt(next);
  }

  #scheduleAt(next: number): void {
    if (this.#stopped) return;
    if (this.#timer !== undefined && next >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = next;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#run({ listen: true });
      },
      Math.max(1, next - performance.now()),
    );
    this.#timer.unref();
  }

  /** Looks at all that is due and delivers what came of it, after what is under way. */
  #run({ listen = false } = {}): Promise<void> {
    const before = this.#running;
    const run = (async () => {
      await before;
      // Timers go off before the events that wait are heard, and one may tell that a file is still written to.
      if (listen) await yieldToOthers();
      if (this.#stopped) return;
      await this.#pass();
      this.#schedule();
    })();
    // A sink that throws must not stop what comes later.
    this.#running = run.catch(() => undefined);
    return run;
  }

  async #pass(): Promise<void> {
    const burst = this.#events > BURST;
    this.#events = 0;
    if (burst) this.#lookAtEverything();
    const now = performance.now();
    const looks = this.#pending.take(now);
    if (looks.length === 0) return;
    const present = new Set(this.#folders.all.filter((root) => this.#isPresent(root, looks, now)));
    const pause = new Pause();
    const files = new Map<string, PendingLook>();
    for (const look of looks) {
      const root = this.#folders.of(look.path);
      if (root === undefined || !present.has(root)) continue;
      const sight = this.#sight(root, look, now);
      if (sight === undefined) continue;
      for (const file of sight.changed) files.set(file, look);
      this.#lookAtGone(root, look, sight.gone, now);
      if (look.path === root.path) {
        root.problem = root.tree.unreadable().get(root.path);
        root.seen ||= root.problem === undefined;
      }
      await pause.after();
    }
    for (const [file, look] of files) {
      if (this.#stopped) return;
      this.#tryRead(file, look, now);
      await pause.after();
    }
    this.#deliver();
  }

  /** Undefined where weir fails at looking: what is known stays, and it is looked at again. */
  #sight(root: ManifestFolder, look: PendingLook, now: number): ReturnType<ManifestTree['look']> | undefined {
    const subject = `fault ${look.path}`;
    try {
      const sight = root.tree.look(look.path, look.depth);
      this.#report(subject, []);
      return sight;
    } catch (error) {
      const meanwhile = 'What was read from there before stays; it is looked at again';
      this.#report(subject, [
        faultFinding(fileOrigin({ file: look.path, line: 1 }), 'looking for files', error, meanwhile),
      ]);
      this.#pending.at(look.path, look.depth, now, now + this.#timing.probe);
      return undefined;
    }
  }

  /** A file that weir fails to read costs only itself. The exception may quote it, and Secrets stand in files. */
  #tryRead(file: string, look: PendingLook, now: number): void {
    this.#failed.delete(file);
    try {
      this.#read(file, look, now);
    } catch (error) {
      const root = this.#folders.of(file);
      const meanwhile = 'What was read from it before stays; it is tried again every minute and when it changes';
      const wrong = faultFinding(fileOrigin({ file, line: 1 }), 'reading the file', error, meanwhile, { secret: true });
      if (root !== undefined) this.#keep(root, file, wrong);
      this.#failed.set(file, performance.now() + this.#timing.retry);
    }
  }

  /** Whether the root can be looked at; if not, what is known of it stays as it is. */
  #isPresent(root: ManifestFolder, looks: readonly PendingLook[], now: number): boolean {
    const { problem } = root.tree.probe();
    if (problem !== undefined && root.seen && root.problem === undefined) {
      // An editor may be about to put a single file back.
      const since = looks.find((look) => look.path === root.path)?.since ?? now;
      if (now - since < this.#timing.hold) {
        this.#pending.at(root.path, 'everything', since, since + this.#timing.hold);
        return false;
      }
    }
    root.problem = problem;
    return problem === undefined || problem === root.tree.unreadable().get(root.path);
  }

  #lookAtGone(root: ManifestFolder, look: PendingLook, gone: readonly string[], now: number): void {
    if (gone.length === 0) return;
    for (const file of gone) {
      if (root.gone.has(file)) continue;
      root.gone.add(file);
      root.lastGone = now;
    }
    const due = root.lastGone + this.#timing.hold;
    const held = now < due && now - look.since < this.#timing.longestHold;
    for (const file of gone) {
      if (!held) this.#forget(root, file);
      // Each by itself: looking at its folder a second time would find nothing new. And once more when it is
      // forgotten, for a folder that stands in its place.
      this.#pending.at(file, 'entry', look.since, held ? due : now);
    }
  }

  #forget(root: ManifestFolder, file: string): void {
    root.gone.delete(file);
    root.tree.drop(file);
    this.#index.remove(file);
    this.#unread.delete(file);
    this.#failed.delete(file);
    this.#held?.release(file);
    this.#folders.forget(file);
  }

  #read(file: string, look: PendingLook, now: number): void {
    const root = this.#folders.of(file);
    if (root === undefined) return;
    root.gone.delete(file);
    const previous = this.#index.get(file);
    const content = root.tree.read(file);
    switch (content.type) {
      case 'gone':
      case 'unsettled':
        this.#pending.at(file, 'entry', look.since, now + this.#timing.quiet);
        return;
      case 'too-large':
      case 'unreadable':
        this.#keep(root, file, fileFinding(file, content));
        return;
      case 'text': {
        const manifest = readManifest(file, content.text, previous ?? this.#held?.manifest(file));
        const age = Date.now() - content.modified;
        const waited = now - look.since;
        if (
          previous !== undefined &&
          age >= 0 &&
          age < this.#timing.hold &&
          waited < this.#timing.longest + this.#timing.hold &&
          isShorter(previous, manifest)
        ) {
          this.#pending.at(file, 'entry', look.since, now + this.#timing.hold - age);
          return;
        }
        this.#replace(root, manifest);
      }
    }
  }

  /** What was read from the file before stays; `wrong` is all there is to say about it. */
  #keep(root: ManifestFolder, file: string, wrong: Finding): void {
    this.#replace(root, {
      ...(this.#index.get(file) ?? this.#held?.manifest(file) ?? { ...readManifest(file, ''), complete: false }),
      findings: [wrong],
      broken: true,
      held: true,
    });
  }

  #replace(root: ManifestFolder, manifest: Manifest): void {
    this.#folders.note(manifest.file, root);
    this.#index.replace(manifest);
    if (manifest.broken || manifest.held) this.#unread.add(manifest.file);
    else this.#unread.delete(manifest.file);
    this.#held?.note(manifest);
  }

  /** Files below a folder that can't be read are held: after a restart nothing could be said of them. */
  #holdOutOfReach(held: HeldObjects): void {
    const outOfReach = new Set<string>();
    for (const root of this.#folders.all) {
      for (const folder of root.tree.unreadable().keys()) {
        if (folder === root.path) continue;
        for (const manifest of held.unclaimedBelow(folder)) {
          root.tree.adopt(manifest.file);
          this.#replace(root, manifest);
        }
        for (const file of this.#index.files()) if (file.startsWith(path.join(folder, '/'))) outOfReach.add(file);
      }
    }
    for (const file of new Set([...this.#outOfReach, ...outOfReach])) {
      const manifest = this.#index.get(file);
      if (manifest !== undefined) held.note(outOfReach.has(file) ? { ...manifest, held: true } : manifest);
    }
    this.#outOfReach = outOfReach;
  }

  #deliver(): void {
    if (this.#held !== undefined) this.#holdOutOfReach(this.#held);
    const { changes, replaced, findings } = this.#index.take();
    this.#undelivered.add(changes, replaced);
    this.#undelivered.deliver((all, before) => this.#deliverChanges(all, before));
    for (const [file, about] of findings) this.#report(file, about);
    for (const root of this.#folders.all)
      this.#report(`folder ${root.path}`, folderFindings(root, this.#timing.relist));
    if (!this.#synced && this.#undelivered.isEmpty && this.#folders.all.every((root) => root.seen)) {
      this.#synced = true;
      this.#sink?.synced();
    }
    if (this.#synced) this.#held?.releaseUnclaimed((file) => this.#isAwaited(file));
  }

  #isAwaited(file: string): boolean {
    return this.#index.get(file) === undefined && this.#folders.wouldHold(file);
  }

  #deliverChanges(changes: readonly ResourceChange[], replaced: ReadonlyMap<string, ManifestObject>): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (this.#held === undefined) sink.changed(changes);
    else this.#held.deliver(changes, replaced, sink);
  }

  #report(subject: string, findings: readonly Finding[]): void {
    if (this.#reported.note(subject, findings)) this.#sink?.report(subject, findings);
  }
}

/** Whether a reading looks as if the file were still being written. */
function isShorter(previous: Manifest, now: Manifest): boolean {
  return (
    now.resources.length < previous.resources.length || now.broken || (previous.endsWithNewline && !now.endsWithNewline)
  );
}
