import type { Finding } from '../../diagnostics/finding.ts';
import type { Model, ModelDelta } from '../../model/model.ts';
import type { Applied, Driver, DriverState, Plan, ReloadReason } from '../driver.ts';
import { NGINX_CAPABILITIES } from './capabilities.ts';
import type { Profile } from './conf/profile.ts';
import { renderConfiguration } from './conf/render-configuration.ts';
import { ConfigurationKeeper } from './configuration-keeper.ts';
import type { RegexAnswer, RegexQuestion } from './control/control-client.ts';
import { isRuntimeFinding, unservedParts } from './model-findings.ts';
import { NginxError } from './nginx-error.ts';
import type { NginxDriverOptions } from './nginx-options.ts';
import { nginxSettings } from './nginx-settings.ts';
import { Pusher } from './push/pusher.ts';
import { refusedRecords } from './refused-records.ts';
import type { Evaluation } from './records/evaluation.ts';
import { RecordBook } from './records/record-book.ts';
import { recordKindOf } from './records/record-key.ts';
import { ROUTE_DEFAULTS } from './records/render-context.ts';
import { SerialQueue } from './serial-queue.ts';
import { defaultCertificate } from './supervisor/default-certificate.ts';
import { findNginx } from './supervisor/nginx-installation.ts';
import { NginxSupervisor, SUPERVISOR_LIMITS } from './supervisor/nginx-supervisor.ts';
import { StateDirectory } from './supervisor/state-directory.ts';
import { findSystemAuthorities } from './supervisor/system-authorities.ts';
import { requireWorkerAccess } from './supervisor/worker-access.ts';
import { NO_DELTA, WantedRecords } from './wanted-records.ts';
import type { DataPlaneCounts } from './wire.ts';
import { defaultZones } from './zones.ts';

/** How often the watch looks after nginx, and the longest pause between tries to start it again; milliseconds. */
const WATCH_INTERVAL = 1000;
const LONGEST_BACK_OFF = 30_000;
const PORT_RETRY = 5000;
/** The longest pause between tries to write what a full disk had no room for; milliseconds. */
const LONGEST_ROOM_BACK_OFF = 10_000;

/** What `start` makes and everything else needs. */
interface Started {
  readonly supervisor: NginxSupervisor;
  readonly keeper: ConfigurationKeeper;
}

/** Programs one nginx on this machine: routes, endpoints and certificates as data, listeners and profiles by reload. */
export class NginxDriver implements Driver {
  readonly name = 'nginx';
  readonly capabilities = NGINX_CAPABILITIES;
  readonly #options: NginxDriverOptions;
  readonly #queue = new SerialQueue();
  readonly #book: RecordBook;
  readonly #wanted: WantedRecords;
  #started: Started | undefined;
  /** The last plan's; an apply of the same model and delta is what it was made for. */
  #planned:
    | { readonly model: Model; readonly delta: ModelDelta | undefined; readonly evaluation: Evaluation }
    | undefined;
  #pusher: Pusher | undefined;
  /** The wanted configuration was compared with the running one since either changed. */
  #compared = false;
  #mayHaveOrphans = false;
  #modelTaken = false;
  #refused: readonly Finding[] = [];
  #failure: Error | undefined;
  #watch: NodeJS.Timeout | undefined;
  #nextStart = 0;
  #backOff = WATCH_INTERVAL;
  /** When blocked ports, or a configuration that a full disk had no room for, are tried again. */
  #nextTry = 0;
  #roomBackOff = WATCH_INTERVAL;
  #lameDuck = false;

  constructor(options: NginxDriverOptions) {
    this.#options = options;
    const authorities = options.systemAuthorities ?? findSystemAuthorities();
    this.#book = new RecordBook({ ...ROUTE_DEFAULTS, ...options.routeDefaults }, authorities);
    this.#wanted = new WantedRecords(this.#book);
  }

  start(): Promise<void> {
    return this.#queue.run(async () => {
      const options = this.#options;
      const installation = await findNginx(options.nginx);
      const directory = new StateDirectory(options.stateDirectory);
      const build = await options.dataplane();
      const dataplane = directory.takeDataplane(build);
      const certificate = defaultCertificate(directory);
      const settings = nginxSettings(options, directory, installation, dataplane, certificate);
      if (options.serves !== false) requireWorkerAccess(directory.temp, settings.user);
      const supervisor = new NginxSupervisor(directory, installation, { ...SUPERVISOR_LIMITS, ...options.limits });
      const keeper = new ConfigurationKeeper({
        supervisor,
        settings,
        zones: defaultZones(options.zones),
        render: options.render ?? renderConfiguration,
        wanted: this.#wanted,
        tell: (event) => options.onEvent?.(event),
        sharePorts: options.sharePorts,
        faultProfile: options.faultProfile,
      });
      this.#started = { supervisor, keeper };
      await this.#ensureRunning();
      this.#watch ??= setInterval(() => this.#look(), WATCH_INTERVAL).unref();
    });
  }

  plan(model: Model, delta: ModelDelta | undefined): Plan {
    const evaluation = this.#book.evaluate(model, delta);
    this.#planned = { model, delta, evaluation };
    const changes: Record<string, number> = {};
    for (const key of evaluation.changes.keys()) {
      const kind = RECORD_NAMES[recordKindOf(key) ?? 'h'];
      changes[kind] = (changes[kind] ?? 0) + 1;
    }
    const profiles = new Map<string, Profile>();
    for (const facts of evaluation.hosts.values()) {
      for (const profile of facts?.profiles.values() ?? []) profiles.set(profile.name, profile);
    }
    for (const name of this.#book.profileNames()) {
      const profile = profiles.has(name) ? undefined : this.#book.profile(name);
      if (profile !== undefined) profiles.set(name, profile);
    }
    const reload =
      this.#started === undefined ? START : this.#started.keeper.plan(model, [...profiles.values()]).reason;
    const counts = Object.entries(changes).map(([kind, count]) => `${count} ${kind}`);
    const summary = counts.length === 0 ? 'no record changes' : counts.join(', ');
    return {
      summary: reload === undefined ? summary : `${summary}; reload (${reload.reason}: ${reload.detail})`,
      changes,
      ...(reload === undefined ? {} : { reload }),
      findings: [
        ...this.#book.findings(evaluation).filter((found) => !isRuntimeFinding(found)),
        ...unservedParts(model),
      ],
    };
  }

  apply(model: Model, delta: ModelDelta | undefined): Promise<Applied> {
    return this.#queue.run(() => this.#noting(() => this.#converge(model, delta)));
  }

  /** What applying a model would refuse, judged by the real engine and nginx's own test; nothing of it comes into force. */
  check(model: Model): Promise<readonly Finding[]> {
    return this.#queue.run(async () => {
      const { supervisor, keeper } = this.#require();
      await this.#ensureRunning();
      await this.#wanted.take(model, undefined, supervisor.control);
      await keeper.test(model);
      return [...this.#book.findings(), ...keeper.findings(model), ...unservedParts(model)];
    });
  }

  async observe(): Promise<DriverState> {
    const started = this.#started;
    if (started === undefined) return { name: this.name, healthy: false, detail: { running: false } };
    const { supervisor, keeper } = started;
    const state = supervisor.running ? await supervisor.control.state().catch(() => undefined) : undefined;
    if (state !== undefined) this.#refused = refusedRecords(state.bad, this.#book.model);
    const processes = supervisor.processes();
    return {
      name: this.name,
      healthy: state !== undefined && keeper.running?.closed === false,
      detail: {
        running: supervisor.running,
        version: supervisor.installation.version,
        pid: processes.master?.pid,
        workers: processes.workers.length,
        drainingWorkers: processes.draining.length,
        configuration: keeper.running?.id,
        appliedGeneration: state?.generation ?? 0,
        epoch: state?.epoch,
        zoneFreeBytes: { data: state?.free[0] ?? 0, certificates: state?.free[1] ?? 0 },
        zoneCapacityBytes: { data: state?.capacity[0] ?? 0, certificates: state?.capacity[1] ?? 0 },
        profiles: keeper.running?.profiles.length ?? 0,
        reloads: keeper.history.counts,
        lastReloadReasons: keeper.history.last,
        findings: this.#runtimeFindings(),
        ...failureDetail(this.#failure?.message ?? keeper.waitsForRoom),
      },
    };
  }

  /** Asks the data plane's own engine; for `weir explain`. */
  async matchPatterns(questions: readonly RegexQuestion[]): Promise<readonly RegexAnswer[]> {
    return await this.#require().supervisor.control.regex(questions);
  }

  /** What its traffic was counted for; for metrics. */
  async counts(): Promise<DataPlaneCounts> {
    return (await this.#require().supervisor.control.state()).counts;
  }

  /** An nginx that has to be started meanwhile is told, too. */
  async letClientsGo(on: boolean): Promise<void> {
    this.#lameDuck = on;
    const supervisor = this.#started?.supervisor;
    // Beside what is being applied, which may take long.
    if (supervisor?.running === true) await supervisor.control.lameDuck(on);
  }

  stop(how: 'leave' | 'drain'): Promise<void> {
    return this.#queue.run(async () => {
      clearInterval(this.#watch);
      this.#watch = undefined;
      const started = this.#started;
      this.#started = undefined;
      this.#pusher = undefined;
      if (started === undefined) return;
      if (how === 'drain') await started.supervisor.drain(this.#options.drainTimeout ?? 25_000);
      else {
        if (this.#lameDuck && started.supervisor.running) await started.supervisor.control.lameDuck(false);
        started.supervisor.leave();
      }
    });
  }

  async #converge(model: Model, delta: ModelDelta | undefined): Promise<Applied> {
    const { supervisor, keeper } = this.#require();
    await this.#ensureRunning();
    const planned = this.#planned;
    this.#planned = undefined;
    const same = planned?.model === model && planned.delta === delta;
    await this.#wanted.take(model, delta, supervisor.control, same ? planned.evaluation : undefined);
    this.#modelTaken = true;
    keeper.liftQuarantine(model);
    const reloads = keeper.history.total;
    if (delta === undefined || delta.listeners.size > 0 || keeper.lacksProfile()) this.#compared = false;
    for (let hasRoom = true; ; hasRoom = false) {
      try {
        if (!this.#compared && !this.#pausesForRoom()) {
          await keeper.configure(model, () => this.#pushBeforeReload(hasRoom));
          this.#noteRoom();
        }
        if (keeper.waitsForRoom === undefined) {
          this.#compared = true;
          await this.#push();
        } else await this.#pushServable();
        break;
      } catch (error) {
        if (!(error instanceof NginxError) || error.code !== 'WEIR_NGINX_ZONE_FULL') throw error;
        // Larger zones need another configuration.
        if (keeper.waitsForRoom !== undefined) throw error;
        this.#compared = false;
        await keeper.grow(error);
      }
    }
    if (this.#mayHaveOrphans && (await supervisor.quitOrphans()) > 0) {
      const message = 'Workers of an nginx that had died were asked to quit.';
      this.#options.onEvent?.({ event: 'orphans-quit', message });
    }
    this.#mayHaveOrphans = false;
    this.#refused = [];
    return { reloaded: keeper.history.total > reloads, quarantined: this.#runtimeFindings() };
  }

  /** Between two tries to write a configuration that the disk has no room for, data don't wait for the next one. */
  #pausesForRoom(): boolean {
    return this.#started?.keeper.waitsForRoom !== undefined && Date.now() < this.#nextTry;
  }

  #noteRoom(): void {
    if (this.#started?.keeper.waitsForRoom === undefined) {
      this.#roomBackOff = WATCH_INTERVAL;
      return;
    }
    this.#nextTry = Date.now() + this.#roomBackOff;
    this.#roomBackOff = Math.min(this.#roomBackOff * 2, LONGEST_ROOM_BACK_OFF);
  }

  /** Starts or adopts nginx where none is known to run. */
  async #ensureRunning(): Promise<void> {
    const { supervisor, keeper } = this.#require();
    if (supervisor.running && this.#pusher !== undefined) return;
    this.#compared = false;
    this.#mayHaveOrphans = true;
    this.#pusher = undefined;
    const { lameDuck } = await keeper.begin();
    if (lameDuck !== this.#lameDuck) await supervisor.control.lameDuck(this.#lameDuck);
    this.#pusher = new Pusher(supervisor.control);
  }

  /**
   * What can be in force before a reload, so that new listeners open with their routes. Data that name a new profile wait
   * until workers know it; so does the end of what these hosts refer to meanwhile.
   */
  async #pushBeforeReload(hasRoom: boolean): Promise<void> {
    const { running } = this.#require().keeper;
    const closed = running?.closed !== false;
    if (!hasRoom && !closed) return;
    await this.#pushServable();
  }

  /** What the running configuration can serve; whatever else is wanted stays pending. */
  async #pushServable(): Promise<void> {
    const { running, runsOtherProgram } = this.#require().keeper;
    const closed = running?.closed !== false;
    // The program of another weir may not know what restricts access in a record of this one, and serve it open.
    if (!closed && runsOtherProgram) return;
    const known = new Set(running?.profiles.map(({ name }) => name));
    await this.#push((key) => {
      const kind = recordKindOf(key);
      if (closed) return true;
      // A host's TLS policy must not change without its routes: what it waits for, its SNI name waits for.
      if (kind === 'h' || kind === 's') return this.#book.profilesOfHost(key.slice(2)).every((name) => known.has(name));
      return this.#book.checksums.has(key);
    });
  }

  async #push(only?: (key: string) => boolean): Promise<void> {
    const { keeper } = this.#require();
    const { running } = keeper;
    if (this.#pusher === undefined || running === undefined) throw new NginxError('WEIR_NGINX_STOPPED', NOT_RUNNING);
    const names = this.#book.profileNames();
    keeper.noteInForce(names, false);
    await this.#wanted.push(this.#pusher, running.id, only);
    if (only === undefined) keeper.noteInForce(names, true);
  }

  #runtimeFindings(): readonly Finding[] {
    return [
      ...this.#book.findings().filter(isRuntimeFinding),
      ...(this.#started?.keeper.findings(this.#book.model) ?? []),
      ...this.#refused,
    ];
  }

  /** Once a second: brings an nginx that ended back with the last model, and opens ports that have become free. */
  #look(): void {
    const started = this.#started;
    if (started === undefined || this.#queue.busy) return;
    const { supervisor, keeper } = started;
    const now = Date.now();
    const ended = !supervisor.running;
    const waits = keeper.hasBlockedPorts || keeper.waitsForRoom !== undefined;
    if (ended ? now < this.#nextStart : !waits || now < this.#nextTry) return;
    const message = supervisor.alive ? SOCKET_GONE : ENDED;
    if (ended) this.#options.onEvent?.({ event: 'ended', message });
    if (keeper.waitsForRoom === undefined) this.#nextTry = now + PORT_RETRY;
    void this.#queue.run(async () => {
      if (this.#started === undefined) return;
      this.#compared = false;
      try {
        const task = () => (this.#modelTaken ? this.#converge(this.#book.model, NO_DELTA) : this.#ensureRunning());
        await this.#noting<unknown>(task);
        this.#backOff = WATCH_INTERVAL;
      } catch (error) {
        this.#nextStart = Date.now() + this.#backOff;
        this.#backOff = Math.min(this.#backOff * 2, LONGEST_BACK_OFF);
        this.#options.onEvent?.({ event: 'restart-failed', message: errorMessage(error) });
      }
    });
  }

  /** Remembers how the last attempt ended, for `observe`. */
  async #noting<Result>(task: () => Promise<Result>): Promise<Result> {
    try {
      const result = await task();
      this.#failure = undefined;
      return result;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      // A socket that nobody listens on any more stays so: the next attempt looks for nginx anew.
      if (error instanceof NginxError && isUnheard(error.cause)) this.#pusher = undefined;
      throw error;
    }
  }

  #require(): Started {
    if (this.#started === undefined) throw new NginxError('WEIR_NGINX_STOPPED', NOT_RUNNING);
    return this.#started;
  }
}

function isUnheard(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOENT');
}

function failureDetail(failure: string | undefined): { readonly failure?: string } {
  return failure === undefined ? {} : { failure };
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const ENDED = 'nginx ended by itself; it is started again with the last model.';
const SOCKET_GONE = 'The control socket of nginx is gone; another nginx with the last model takes its place.';
const NOT_RUNNING = 'The nginx driver was not started, or was stopped.';
const START: ReloadReason = { reason: 'start', detail: 'nginx is not running yet', origins: [] };
const RECORD_NAMES = {
  c: 'certificates',
  a: 'authorities',
  b: 'backends',
  l: 'listeners',
  s: 'serverNames',
  h: 'hosts',
} as const;
