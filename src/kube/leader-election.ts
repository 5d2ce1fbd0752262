import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import { resourcePath } from './kube-resource.ts';
import { claimedLease, type Lease, LEASES } from './lease.ts';
import type { RbacRule } from './rbac-rule.ts';

export const LEASE_NAME = 'weir-leader';

/** In the namespace that weir runs in. */
export const LEADER_ELECTION_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [LEASE_NAME],
    verbs: ['get', 'update'],
    why: 'Several weir agree on the one that writes status and Events. Without it nothing is written back.',
  },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create'],
    why: 'Makes the Lease of the election when there is none. Not needed if it is there already; RBAC can not limit this to a name.',
  },
];

export interface LeaderElectionOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** Where the Lease is. */
  readonly namespace: string;
  /** Of the Lease. */
  readonly name?: string;
  /** Different for each process that ever ran: a pod's name is not enough, its container may be restarted. */
  readonly identity: string;
  /** Milliseconds after which others may take over from a holder of whom nothing is heard. Default 10,000. */
  readonly leaseDuration?: number;
  /** Milliseconds after its last renewal at which a leader stops acting. Default 7,000; must be less. */
  readonly renewDeadline?: number;
  /** Milliseconds between looks and renewals, give or take a quarter. Default 2,000. */
  readonly retryPeriod?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Called when this process becomes the leader. The signal ends with its term: give it to every request. */
  readonly onGained?: (term: AbortSignal) => void;
  /** Called when the term has ended. On `stop` the Lease is given back when the promise is done. */
  readonly onLost?: () => void | Promise<void>;
  /** Another holds the Lease now; '' for nobody. */
  readonly onHolder?: (holder: string) => void;
  /** The election fails, and why; undefined: it works again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

interface Observed {
  readonly version: string;
  readonly holder: string;
  /** Milliseconds that its holder promised to renew in. */
  readonly duration: number;
  /** By this process' clock: when this version was first seen. */
  readonly at: number;
}

/** What a client of another clock may ask us to wait at most, in milliseconds. */
const LONGEST_LEASE = 120_000;
/** In place of version and holder of a Lease that was there before; a name can't have a slash. */
const GONE = '/';
const LONGEST_RETRY = 15_000;

/**
 * Agrees with other processes on one that acts, by a Lease.
 *
 * No two clocks are compared. A candidate takes over when the Lease hasn't changed for its duration by the candidate's own
 * clock. A leader counts its deadline from before the request that renewed, so it has stopped acting when another begins,
 * as long as no clock runs more than a third faster than another. Every write names the version that it replaces.
 * Who makes a Lease anew that was there before holds it for its duration before it acts, unless it was the leader itself. (Two
 * could lead for some seconds only if somebody deletes the Lease while a process starts, which then finds none with its first request.)
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #name: string;
  readonly #leaseDuration: number;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  /** The newest version known; undefined: not known, or there is none. */
  #lease: Lease | undefined;
  #observed: Observed | undefined;
  #term: AbortController | undefined;
  /** End of the term unless it is renewed: by the clock, and by the time of day, which goes on while a machine sleeps. */
  #deadline = 0;
  #deadlineOfDay = 0;
  #disarm: (() => void) | undefined;
  /** The Lease that is made next may replace one whose holder still acts: it is held for its duration before this process does. */
  #cautious = false;
  #actFrom = 0;
  #failures = 0;
  #problem: string | undefined;

  constructor(options: LeaderElectionOptions) {
    const { leaseDuration = 10_000, renewDeadline = 7000, retryPeriod = 2000 } = options;
    if (!(retryPeriod < renewDeadline && renewDeadline < leaseDuration)) {
      throw new RangeError('an election needs retryPeriod < renewDeadline < leaseDuration');
    }
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#random = options.random ?? Math.random;
    this.#name = options.name ?? LEASE_NAME;
    this.#leaseDuration = leaseDuration;
    this.#renewDeadline = renewDeadline;
    this.#retryPeriod = retryPeriod;
  }

  /** Whether this process may act at this moment. Right even if timers are late. */
  get isLeader(): boolean {
    return (
      this.#term !== undefined &&
      this.#clock.now() < this.#deadline &&
      this.#clock.date().getTime() < this.#deadlineOfDay
    );
  }

  /** Identity of who held the Lease when it was last seen; '' for nobody, undefined if it was never seen. */
  get holder(): string | undefined {
    const holder = this.#observed?.holder;
    return holder === GONE ? '' : holder;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops acting, then gives the Lease back, so that another can take it at its next look. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#lose();
    if (this.#observed?.holder === this.#options.identity) await this.#release();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) await pause(this.#clock, await this.#round(), signal);
  }

  /** Milliseconds until the next. */
  async #round(): Promise<number> {
    if (this.#term !== undefined && !this.isLeader) await this.#lose();
    try {
      const wait = await this.#attempt();
      this.#failures = 0;
      this.#note(undefined);
      return wait;
    } catch (error) {
      if (this.#stopping.signal.aborted) return 0;
      return this.#failed(error);
    }
  }

  async #attempt(): Promise<number> {
    const lease = this.#term === undefined || this.#lease === undefined ? await this.#read() : this.#lease;
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder === this.#options.identity) await this.#claim(lease);
    else {
      if (lease !== undefined) void this.#lose();
      const left = this.#heldFor();
      if (left > 0) return Math.min(left, this.#jittered(this.#retryPeriod));
      await this.#claim(lease);
    }
    return this.#jittered(this.#retryPeriod);
  }

  /** Milliseconds for which another must still be taken for the leader. */
  #heldFor(): number {
    const { holder = '', duration = 0, at = 0 } = this.#observed ?? {};
    if (holder === '' || holder === this.#options.identity) return 0;
    return at + duration - this.#clock.now();
  }

  async #read(): Promise<Lease | undefined> {
    try {
      this.#see((await this.#request('GET', this.#path())) as Lease);
    } catch (error) {
      if (!(error instanceof KubeError && error.status === 404)) throw error;
      this.#vanished();
    }
    return this.#lease;
  }

  /** Another may have held it last, and acts until its deadline. Only who is sure that nobody else did may go on at once. */
  #vanished(): void {
    this.#lease = undefined;
    const before = this.#observed;
    if (this.#clock.now() < this.#deadline) return;
    // Who got no answer before can't know whether there was one.
    if (before === undefined && this.#failures === 0) return;
    this.#cautious = true;
    if (before === undefined || before.version === GONE) return;
    // Long enough for the holder, if it lives, to make it anew.
    this.#observed = { version: GONE, holder: GONE, duration: this.#retryPeriod * 1.25, at: this.#clock.now() };
    void this.#tell(() => this.#options.onHolder?.(''));
  }

  /** Takes the Lease or renews it. */
  async #claim(before: Lease | undefined): Promise<void> {
    const sent = this.#clock.now();
    const sentOfDay = this.#clock.date();
    const { identity: holder, namespace } = this.#options;
    const claim = { holder, duration: this.#leaseDuration, date: sentOfDay };
    const made = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: this.#name, namespace } };
    const written =
      before === undefined
        ? await this.#request('POST', resourcePath(LEASES, namespace), claimedLease(made as unknown as Lease, claim))
        : await this.#request('PUT', this.#path(), claimedLease(before, claim));
    this.#see(written as Lease);
    this.#deadline = sent + this.#renewDeadline;
    this.#deadlineOfDay = sentOfDay.getTime() + this.#renewDeadline;
    const now = this.#clock.now();
    if (this.#cautious) {
      this.#cautious = false;
      this.#actFrom = now + this.#leaseDuration;
    }
    if (before === undefined && now >= this.#deadline) this.#cautious = true;
    if (now >= this.#deadline || now < this.#actFrom || this.#stopping.signal.aborted) return;
    this.#arm();
    if (this.#term !== undefined) return;
    this.#term = new AbortController();
    const { signal } = this.#term;
    void this.#tell(() => this.#options.onGained?.(signal));
  }

  #see(lease: Lease): void {
    this.#lease = lease;
    const { holderIdentity: holder = '', leaseDurationSeconds } = lease.spec ?? {};
    const version = lease.metadata.resourceVersion;
    const before = this.#observed;
    if (before?.version === version) return;
    if (holder !== '' && holder !== this.#options.identity) this.#cautious = false;
    const duration = Math.min(
      leaseDurationSeconds === undefined ? this.#leaseDuration : leaseDurationSeconds * 1000,
      LONGEST_LEASE,
    );
    this.#observed = { version, holder, duration, at: this.#clock.now() };
    if (before?.holder !== holder) void this.#tell(() => this.#options.onHolder?.(holder));
  }

  async #failed(error: unknown): Promise<number> {
    const status = error instanceof KubeError ? error.status : undefined;
    const led = this.#term !== undefined;
    if (status === 404 || status === 409) {
      // The Lease is not as it was: gone, or written by another or by a request of ours whose answer was lost. Look again.
      this.#lease = undefined;
      if (status === 404) await this.#lose();
      this.#failures++;
      if (this.#failures <= 3) return this.#jittered(this.#retryPeriod / 10);
    } else this.#failures++;
    this.#note(
      status === 403 ? this.#withRemedy(error as KubeError) : error instanceof Error ? error : new Error(String(error)),
    );
    if (led) return this.#jittered(this.#retryPeriod / 4);
    const asked = error instanceof KubeError ? (error.retryAfter ?? 0) * 1000 : 0;
    const backOff = this.#retryPeriod * 2 ** Math.min(this.#failures - 1, 8);
    return this.#jittered(Math.min(Math.max(backOff, asked), LONGEST_RETRY));
  }

  #withRemedy(error: KubeError): Error {
    const { namespace } = this.#options;
    const remedy = `Allow get and update on the Lease ${this.#name}, and create on leases, in namespace ${namespace}; until then no status and no Events are written from here.`;
    return new Error(`${error.message}. ${remedy}`, { cause: error });
  }

  /** Ends the term in time, whatever the requests do. */
  #arm(): void {
    this.#disarm?.();
    this.#disarm = this.#clock.after(Math.max(this.#deadline - this.#clock.now(), 0), () => {
      this.#disarm = undefined;
      if (this.#clock.now() < this.#deadline) this.#arm();
      else void this.#lose();
    });
  }

  async #lose(): Promise<void> {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#disarm?.();
    this.#disarm = undefined;
    term.abort();
    await this.#tell(() => this.#options.onLost?.());
  }

  /** One that throws must not end the election. */
  async #tell(call: () => void | Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#options.onProblem?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Another takes over sooner; if this fails the Lease runs out by itself. */
  async #release(): Promise<void> {
    const release = (lease: Lease) => {
      const claim = { holder: '', duration: this.#leaseDuration, date: this.#clock.date() };
      return this.#request('PUT', this.#path(), claimedLease(lease, claim), 2000);
    };
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const lease = (this.#lease ?? (await this.#request('GET', this.#path(), undefined, 2000))) as Lease;
        this.#see(lease);
        if (lease.spec?.holderIdentity !== this.#options.identity) return;
        this.#see((await release(lease)) as Lease);
        return;
      } catch {
        this.#lease = undefined;
      }
    }
  }

  #request(method: 'GET' | 'POST' | 'PUT', path: string, body?: Lease, timeout = this.#renewDeadline / 2) {
    const { signal } = this.#stopping;
    return this.#options.client.request({
      method,
      path,
      timeout,
      ...(body === undefined ? {} : { body }),
      ...(signal.aborted ? {} : { signal }),
    });
  }

  #path(): string {
    return resourcePath(LEASES, this.#options.namespace, this.#name);
  }

  #jittered(milliseconds: number): number {
    return milliseconds * (0.75 + this.#random() / 2);
  }

  /** Tells a problem once, until it is another or gone. */
  #note(problem: Error | undefined): void {
    if (problem?.message === this.#problem) return;
    this.#problem = problem?.message;
    this.#options.onProblem?.(problem);
  }
}
