import { finding } from '../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../diagnostics/drivers.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { isNoRoom } from '../../lib/no-room.ts';
import type { Model } from '../../model/model.ts';
import type { Origin } from '../../model/origin.ts';
import type { ReloadReason } from '../driver.ts';
import type { ConfigurationInput, NginxSettings, RenderedConfiguration } from './conf/configuration.ts';
import { ConfigurationError } from './conf/configuration-error.ts';
import type { Profile } from './conf/profile.ts';
import { listenersText, planConfiguration, type ConfigurationPlan } from './configuration-plan.ts';
import { type ConfigurationTest, findRefused } from './find-refused.ts';
import { listenerRefusal, servedListeners } from './listener-ports.ts';
import { NginxError } from './nginx-error.ts';
import type { NginxEvent } from './nginx-options.ts';
import { builtInProfiles } from './profiles/built-in-profiles.ts';
import { Quarantine } from './quarantine.ts';
import { ReloadHistory } from './reload-history.ts';
import type { NginxSupervisor } from './supervisor/nginx-supervisor.ts';
import { removeUnnamedFiles, writeProfileFiles } from './supervisor/profile-files.ts';
import {
  readRunningConfiguration,
  writeRunningConfiguration,
  type RunningConfiguration,
} from './supervisor/running-configuration.ts';
import { testDataplane } from './supervisor/try-dataplane.ts';
import type { WantedRecords } from './wanted-records.ts';
import type { DataPlaneState } from './wire.ts';
import { largerZones, largestZones, type Zones } from './zones.ts';

export interface KeeperContext {
  readonly supervisor: NginxSupervisor;
  readonly settings: NginxSettings;
  readonly zones: Zones;
  readonly render: (input: ConfigurationInput) => RenderedConfiguration;
  readonly wanted: WantedRecords;
  readonly tell: (event: NginxEvent) => void;
  /** As in the driver's options. */
  readonly sharePorts?: boolean | undefined;
  readonly faultProfile?: ((profile: Profile) => Profile) | undefined;
}

/** Has nginx run the configuration that the wanted records and listeners need, and says what it couldn't take in. */
export class ConfigurationKeeper {
  readonly history = new ReloadHistory();
  readonly #context: KeeperContext;
  readonly #builtIn: readonly Profile[];
  readonly #quarantine = new Quarantine();
  /** Listener names, and why their ports can't be bound. */
  readonly #blocked = new Map<string, string>();
  #zones: Zones;
  #waiting: Waiting | undefined;
  #remembered = '';
  #running: RunningConfiguration | undefined;
  /** Names of profiles that records in force may name; undefined: those records are of an earlier weir. */
  #inForce: ReadonlySet<string> | undefined;

  constructor(context: KeeperContext) {
    this.#context = context;
    this.#builtIn = builtInProfiles(context.wanted.book.defaults.bodyLimit);
    this.#zones = context.zones;
  }

  get running(): RunningConfiguration | undefined {
    return this.#running;
  }

  /** Whether the program inside the running nginx is of another version than this weir's. */
  get runsOtherProgram(): boolean {
    return this.#running?.dataplane !== this.#context.settings.paths.dataplane;
  }

  get hasBlockedPorts(): boolean {
    return this.#blocked.size > 0;
  }

  /** Why the configuration that is wanted can't be written, while nginx serves by the former one. */
  get waitsForRoom(): string | undefined {
    return this.#waiting?.why;
  }

  /** Adopts a running nginx or starts one without listeners. */
  async begin(): Promise<DataPlaneState> {
    const { supervisor, settings, tell } = this.#context;
    this.#waiting = undefined;
    const last = readRunningConfiguration(supervisor.directory);
    const adopted = await supervisor.adopt(last?.id);
    if (adopted !== undefined) {
      // Where nothing is known of it but its name, the wanted configuration takes its place unless it is the same.
      this.#running = last?.id === adopted.conf ? last : { ...UNKNOWN, id: adopted.conf, zones: this.#zones };
      this.#zones = largestZones(this.#running.zones, this.#zones);
      tell({ event: 'adopted', message: `Adopted the running nginx (generation ${adopted.generation}).` });
      return adopted;
    }
    const rendered = this.#context.render(this.#closedInput());
    const started = await supervisor.start(rendered.text, rendered.id);
    this.#remember({
      ...UNKNOWN,
      id: rendered.id,
      closed: true,
      dataplane: settings.paths.dataplane,
      zones: this.#zones,
    });
    tell({ event: 'started', message: 'Started nginx; its listeners open when it has routes.' });
    return started;
  }

  /** Pure. `profiles`: those that routes need. */
  plan(model: Model, profiles: readonly Profile[]): ConfigurationPlan {
    const refused = this.#quarantine.profiles;
    return planConfiguration(
      {
        listeners: servedListeners(model.listeners.values()).filter(
          (listener) => this.#quarantine.allows(listener) && !this.#blocked.has(listener.name),
        ),
        profiles: profiles.filter(({ name }) => !refused.has(name)),
        builtIn: this.#builtIn,
        inForce: this.#inForce,
        zones: this.#zones,
        settings: this.#context.settings,
      },
      this.#running,
    );
  }

  /** Whether a route needs a profile that nginx doesn't have yet. */
  lacksProfile(): boolean {
    const known = new Set(this.#running?.profiles.map(({ name }) => name));
    const refused = this.#quarantine.profiles;
    return this.#context.wanted.book.profileNames().some((name) => !known.has(name) && !refused.has(name));
  }

  /** To be called before records are sent, and with `all` when all were: which profiles they name. */
  noteInForce(names: readonly string[], all: boolean): void {
    if (all) this.#inForce = new Set(names);
    else if (this.#inForce !== undefined) this.#inForce = new Set([...this.#inForce, ...names]);
  }

  /** To be called when a model was taken: what was refused is tried again where what asked for it changed. */
  liftQuarantine(model: Model): void {
    const { wanted } = this.#context;
    if (this.#quarantine.lift(model, wanted.book)) wanted.quarantine(this.#quarantine.profiles);
  }

  /**
   * Compares the wanted configuration with the running one and reloads where they differ, after `beforeReload`. Where the
   * disk is full and nginx serves, it goes on with the configuration that it has, and `waitsForRoom` tells so.
   */
  async configure(model: Model, beforeReload: () => Promise<void>): Promise<void> {
    this.#waiting = undefined;
    try {
      await this.#configure(model, beforeReload);
    } catch (error) {
      if (!(error instanceof Error) || !isNoRoom(error) || this.#running?.closed !== false) throw error;
      const { reason } = this.plan(model, this.#neededProfiles());
      this.#waiting = { why: error.message, origins: reason?.origins ?? [] };
      const message = `${error.message} What needs no new configuration goes live meanwhile.`;
      this.#context.tell({ event: 'no-room', message });
    }
  }

  async #configure(model: Model, beforeReload: () => Promise<void>): Promise<void> {
    await this.#tryPorts(model);
    let plan = this.plan(model, this.#neededProfiles());
    let attempt = this.#attempt(plan.input);
    if (this.#isRunning(attempt)) {
      this.#remember(this.#asRunning(plan.input, attempt.id));
      return;
    }
    await this.#testDataplane();
    writeProfileFiles(this.#context.supervisor.directory, plan.input.profiles);
    const failure = await this.#test(attempt);
    if (failure !== undefined) {
      await this.#isolate(plan.input, failure);
      plan = this.plan(model, this.#neededProfiles());
      attempt = this.#attempt(plan.input);
      if (this.#isRunning(attempt)) return;
    }
    if ('complaint' in attempt) throw new NginxError('WEIR_NGINX_CONFIGURATION', attempt.complaint);
    await beforeReload();
    await this.#reload(plan.input, attempt, plan.reason ?? SOFTWARE);
  }

  /** As `configure`, without any effect on nginx: only what it would refuse is found. */
  async test(model: Model): Promise<void> {
    const { input } = this.plan(model, this.#neededProfiles());
    writeProfileFiles(this.#context.supervisor.directory, input.profiles);
    const failure = await this.#test(this.#attempt(input));
    if (failure !== undefined) await this.#isolate(input, failure);
  }

  /**
   * Makes room after a push that found none: the new zones are filled from the former ones while nginx loads the
   * configuration that names them. A closed nginx gets them at once, an open one by the next `configure`.
   */
  async grow(full: NginxError): Promise<void> {
    const zones = largerZones(this.#zones);
    const running = this.#running;
    if (zones === undefined || running === undefined) throw full;
    this.#zones = zones;
    if (!running.closed) return;
    const rendered = this.#context.render({ ...this.#closedInput(), formerZones: running.zones });
    await this.#context.supervisor.reload(rendered.text, rendered.id);
    this.#remember({ ...running, id: rendered.id, zones, formerZones: running.zones });
  }

  /** What could not be taken in, apart from what stands in records. */
  findings(model: Model): readonly Finding[] {
    const blocked = [...this.#blocked].flatMap(([name, why]) => {
      const listener = model.listeners.get(name);
      const message = `Listener ${name} can not be opened: ${why}. The other listeners are served.`;
      return listener === undefined ? [] : [finding(DRIVER_FINDINGS.portBlocked, listener.origin, message)];
    });
    const waiting = (this.#waiting?.origins ?? []).map((origin) =>
      finding(DRIVER_FINDINGS.noRoom, origin, `${this.#waiting?.why} Until then the host stays as it was.`),
    );
    return [...this.#quarantine.listenerFindings(model), ...blocked, ...waiting];
  }

  #closedInput(): ConfigurationInput {
    return { closed: true, listeners: [], profiles: [], zones: this.#zones, settings: this.#context.settings };
  }

  #neededProfiles(): readonly Profile[] {
    const { book } = this.#context.wanted;
    return book.profileNames().flatMap((name) => book.profile(name) ?? []);
  }

  /** A value that can't be written at all is nginx's complaint, too: some object is the cause. */
  #attempt(input: ConfigurationInput): Attempt {
    const { render, faultProfile } = this.#context;
    try {
      return render(faultProfile === undefined ? input : { ...input, profiles: input.profiles.map(faultProfile) });
    } catch (error) {
      if (error instanceof ConfigurationError) return { complaint: error.message };
      throw error;
    }
  }

  async #test(attempt: Attempt): Promise<Failure | undefined> {
    if ('complaint' in attempt) return { complaint: { message: attempt.complaint }, text: '' };
    const complaint = await this.#context.supervisor.test(attempt.text);
    return complaint && { complaint, text: attempt.text };
  }

  #isRunning(attempt: Attempt): attempt is RenderedConfiguration {
    return this.#running?.closed === false && 'id' in attempt && attempt.id === this.#running.id;
  }

  async #reload(input: ConfigurationInput, { text, id }: RenderedConfiguration, reason: ReloadReason): Promise<void> {
    const { supervisor } = this.#context;
    await supervisor.reload(text, id);
    removeUnnamedFiles(supervisor.directory, [text, supervisor.lastGood ?? '']);
    this.#remember(this.#asRunning(input, id));
    this.history.add(reason);
    const message = reason.reason === 'start' ? OPENED : `Reloaded nginx: ${reason.detail}.`;
    this.#context.tell({ event: 'reloaded', message, reason: reason.reason });
  }

  #asRunning(input: ConfigurationInput, id: string): RunningConfiguration {
    return {
      id,
      closed: false,
      dataplane: input.settings.paths.dataplane,
      profiles: input.profiles.map(remembered),
      listeners: listenersText(input.listeners),
      zones: input.zones,
      ...(input.formerZones === undefined ? {} : { formerZones: input.formerZones }),
    };
  }

  #remember(running: RunningConfiguration): void {
    this.#running = running;
    const text = JSON.stringify(running);
    // Without the file a restarted weir compares with what nginx tells of itself.
    if (text === this.#remembered) return;
    if (writeRunningConfiguration(this.#context.supervisor.directory, running)) this.#remembered = text;
  }

  /** `nginx -t` loads no Lua: a data plane that the running nginx doesn't know is first tried in one of its own. */
  async #testDataplane(): Promise<void> {
    const { supervisor, settings, render } = this.#context;
    if (this.#running?.dataplane === settings.paths.dataplane) return;
    await testDataplane(supervisor.installation, settings, render);
  }

  /** Finds the profiles and listeners that nginx refuses; what asked for them is left out until it changes. */
  async #isolate(input: ConfigurationInput, failure: Failure): Promise<void> {
    const { tell, wanted } = this.#context;
    const test: ConfigurationTest = (some) => this.#test(this.#attempt(some));
    const refused = await findRefused(input, failure, this.#builtIn, this.#running, test);
    if (refused === undefined) {
      const message = `nginx refuses its configuration even without any object's part: ${failure.complaint.message}. The last good configuration stays in force.`;
      throw new NginxError('WEIR_NGINX_CONFIGURATION', message);
    }
    const note = (name: string, why: string) => {
      const message = `nginx refuses ${name}: ${why}. What needs it is left out until it changes.`;
      tell({ event: 'quarantined', message });
    };
    for (const { unit, why } of refused.listeners) {
      this.#quarantine.addListener(unit, why);
      note(`listener ${unit.name}`, why);
    }
    for (const { unit, why } of refused.profiles) {
      this.#quarantine.addProfile(unit.name, why, wanted.book);
      note(`profile ${unit.name}`, why);
    }
    wanted.quarantine(this.#quarantine.profiles);
  }

  /** nginx tests a configuration with a taken port as good, and a reload with one fails as a whole. */
  async #tryPorts(model: Model): Promise<void> {
    const { sharePorts } = this.#context;
    const served = servedListeners(model.listeners.values());
    this.#blocked.clear();
    for (const listener of served) {
      const refusal = await listenerRefusal(listener, () => this.#context.supervisor.processes(), sharePorts);
      if (refusal !== undefined) this.#blocked.set(listener.name, refusal);
    }
    if (served.length === 0 || this.#blocked.size < served.length) return;
    const list = [...this.#blocked].map(([name, refusal]) => `listener ${name}: ${refusal}`).join('; ');
    throw new NginxError('WEIR_NGINX_PORT', `No listener can be opened: ${list}. It is tried again.`, {
      remedy: 'Stop the process that holds the port, or choose another port.',
    });
  }
}

interface Waiting {
  readonly why: string;
  readonly origins: readonly Origin[];
}

type Attempt = RenderedConfiguration | { readonly complaint: string };
type Failure = NonNullable<Awaited<ReturnType<ConfigurationTest>>>;

const OPENED = 'Opened the listeners.';
const UNKNOWN = { id: '', closed: false, dataplane: '', profiles: [], listeners: '' } as const;
const SOFTWARE: ReloadReason = {
  reason: 'software',
  detail: 'the configuration that weir makes has changed',
  origins: [],
};

/** Files may hold a private key, and are there; origins belong to the moment. */
function remembered(profile: Profile): Profile {
  const { name, protocol, bodyLimit, readsBody, identity, location } = profile;
  return {
    name,
    protocol,
    bodyLimit,
    ...(readsBody === undefined ? {} : { readsBody }),
    ...(identity === undefined ? {} : { identity }),
    ...(location === undefined ? {} : { location }),
    origins: [],
  };
}
