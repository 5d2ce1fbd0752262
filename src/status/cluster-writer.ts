import type { Finding } from '../diagnostics/finding.ts';
import type { EventNote, EventSubject } from '../kube/event.ts';
import { EventRecorder, type EventResult } from '../kube/event-recorder.ts';
import type { KubeClient } from '../kube/kube-client.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { LeaderElection } from '../kube/leader-election.ts';
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts';
import type { ObjectRef } from '../model/origin.ts';
import { type AddressOrigin, AddressWatch, type StartWatch } from './address-watch.ts';
import { FindingEvents } from './finding-events.ts';
import { IngressStatusWriter, type StatusWriteResult } from './ingress-status-writer.ts';
import { ingressKey, servedIngress } from './served-ingress.ts';
import { ServingEvents } from './serving-events.ts';

export const CONTROLLER_NAME = 'weir.dev/ingress-controller';

/** Told of what is written, for logs and metrics; every method may be left out. */
export interface ClusterWriterListener {
  /** This process is the one that writes, or isn't any more. */
  led?(leads: boolean): void;
  /** Identity of who leads; '' for nobody. */
  holder?(holder: string): void;
  statusWritten?(result: StatusWriteResult): void;
  event?(result: EventResult): void;
  /** What keeps `subject` from being written; undefined: nothing any more. Told once, until it changes. */
  problem?(subject: string, problem: Error | undefined): void;
}

export interface ClusterWriterOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly startWatch: StartWatch;
  /** Where the Lease is: weir's own namespace. */
  readonly namespace: string;
  readonly leaseName?: string;
  /** Name of the pod or of the machine; becomes the `reportingInstance` of Events and the beginning of the Lease's holder. */
  readonly instance: string;
  /** Undefined: status is left alone. */
  readonly addresses?: AddressOrigin;
  /** Newest generation of the model, and the newest that is in force. */
  readonly generations: () => { readonly newest: number; readonly inForce: number };
  readonly listener?: ClusterWriterListener;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Subjects whose problem is remembered, so as not to tell it twice. */
const MOST_PROBLEMS = 1000;

interface Held {
  readonly object: EventSubject;
  /** Of an Ingress only. */
  readonly ingress?: ReturnType<typeof servedIngress>;
}

interface Unforced {
  readonly hosts: readonly string[] | undefined;
  /** By the clock. */
  readonly since: number;
  readonly news: boolean;
  /** First generation of the model with it. */
  generation?: number;
}

/** Milliseconds after which what has made no new generation makes none: it changed nothing in the model. */
const NO_GENERATION = 2000;

/**
 * Everything that weir writes to a cluster: who leads, addresses of Ingresses, Events. Told of objects, of what is served and of
 * what is in force, in any order; it writes an address and says "in force" only when that is so.
 */
export class ClusterWriter {
  readonly #options: ClusterWriterOptions;
  readonly #clock: Clock;
  readonly #election: LeaderElection;
  readonly #recorder: EventRecorder;
  readonly #findings: FindingEvents;
  readonly #serving: ServingEvents;
  readonly #status: IngressStatusWriter | undefined;
  readonly #addresses: AddressWatch | undefined;
  /** `Ingress/shop/web` → what is written about it needs this. */
  readonly #held = new Map<string, Held>();
  /** Ingresses that are in force. */
  readonly #forced = new Set<string>();
  readonly #unforced = new Map<string, Unforced>();
  readonly #problems = new Map<string, string>();
  #synced = false;
  #look: (() => void) | undefined;

  constructor(options: ClusterWriterOptions) {
    this.#options = options;
    const { client, startWatch, namespace, leaseName, instance, addresses, listener } = options;
    const clock = options.clock ?? SYSTEM_CLOCK;
    this.#clock = clock;
    const timing = { clock, ...(options.random === undefined ? {} : { random: options.random }) };
    const onProblem = (subject: string, problem: Error | undefined) => this.#note(subject, problem);
    this.#election = new LeaderElection({
      ...timing,
      client,
      namespace,
      ...(leaseName === undefined ? {} : { name: leaseName }),
      identity: `${instance}_${crypto.randomUUID()}`,
      onGained: () => this.#lead(true),
      onLost: () => this.#lead(false),
      onHolder: (holder) => listener?.holder?.(holder),
      onProblem: (problem) => onProblem('the leader election', problem),
    });
    this.#recorder = new EventRecorder({
      ...timing,
      client,
      controller: CONTROLLER_NAME,
      instance,
      onResult: (result) => listener?.event?.(result),
      onProblem: (problem) => onProblem('Events', problem),
    });
    const record = (note: EventNote) => this.#recorder.record(note);
    this.#findings = new FindingEvents({ clock, record, identify: (ref) => this.#held.get(heldKey(ref))?.object });
    this.#serving = new ServingEvents(record);
    if (addresses === undefined) return;
    const status = new IngressStatusWriter({
      ...timing,
      client,
      mayWrite: () => this.#election.isLeader,
      onResult: (result) => listener?.statusWritten?.(result),
      onProblem,
    });
    this.#status = status;
    const onAddresses = status.addresses.bind(status);
    this.#addresses = new AddressWatch({ origin: addresses, startWatch, onAddresses, onProblem });
  }

  get isLeader(): boolean {
    return this.#election.isLeader;
  }

  /** Identity of who leads; undefined: not known. */
  get holder(): string | undefined {
    return this.#election.holder;
  }

  start(): void {
    this.#addresses?.start();
    this.#election.start();
  }

  /**
   * Finishes what is being written, for at most two seconds, and lets another lead. Addresses stay in the status: whoever asks
   * for them shall find them while weir is replaced.
   */
  async stop(): Promise<void> {
    this.#addresses?.stop();
    this.#look?.();
    if (this.#election.isLeader) {
      await Promise.all([this.#status?.stop(2000), this.#recorder.stop()]);
    }
    await this.#election.stop();
  }

  /** The object is there, as the API server has it. */
  seen(object: KubeObject & { readonly kind: string }): void {
    const { kind, apiVersion = 'v1', metadata } = object;
    const { namespace = '', name, uid, resourceVersion } = metadata;
    const ingress = kind === 'Ingress' ? servedIngress(object) : undefined;
    this.#held.set(heldKey({ kind, namespace, name }), {
      object: { apiVersion, kind, namespace, name, uid, resourceVersion },
      ...(ingress === undefined ? {} : { ingress }),
    });
    if (ingress !== undefined && this.#forced.has(ingressKey(ingress))) this.#status?.put(ingress);
  }

  /** The object is gone. */
  gone(ref: ObjectRef): void {
    this.#held.delete(heldKey(ref));
    if (ref.kind === 'Ingress') this.#unserve(ingressKey(ref));
  }

  /** The Ingress is served for these hosts from now on; undefined: it isn't. It is in force only later. */
  served(ingress: Pick<ObjectRef, 'namespace' | 'name'>, hosts: readonly string[] | undefined): void {
    this.#unforced.set(ingressKey(ingress), { hosts, since: this.#clock.now(), news: this.#synced });
    this.#look ??= this.#clock.after(NO_GENERATION, () => {
      this.#look = undefined;
      this.#force();
    });
  }

  /** All that existed at the start was told. */
  synced(): void {
    this.#synced = true;
    this.#force();
  }

  /** The model has a new generation, with all that was told before. */
  moved(generation: number): void {
    for (const unforced of this.#unforced.values()) unforced.generation ??= generation;
  }

  /** The load balancer has taken something over. */
  applied(): void {
    this.#force();
  }

  /** All findings that stand now. */
  findings(findings: readonly Finding[]): void {
    this.#findings.note(findings);
  }

  #force(): void {
    if (this.#unforced.size === 0 || !this.#synced) return;
    const { newest, inForce } = this.#options.generations();
    const now = this.#clock.now();
    for (const [key, { hosts, since, news, generation }] of this.#unforced) {
      const unchanged = generation === undefined && now - since >= NO_GENERATION;
      if (inForce < (generation ?? (unchanged ? newest : Infinity))) continue;
      this.#unforced.delete(key);
      const held = this.#held.get(`Ingress/${key}`);
      if (hosts === undefined || held?.ingress === undefined) {
        this.#unserve(key);
        continue;
      }
      this.#forced.add(key);
      this.#status?.put(held.ingress);
      this.#serving.inForce(key, held.object, hosts, news);
    }
  }

  #unserve(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    this.#unforced.delete(key);
    this.#forced.delete(key);
    this.#status?.remove({ namespace, name });
    this.#serving.gone(key);
  }

  #lead(leads: boolean): void {
    this.#serving.leading(leads);
    this.#findings.leading(leads);
    this.#status?.leading(leads);
    if (!leads) this.#recorder.clear();
    this.#options.listener?.led?.(leads);
  }

  #note(subject: string, problem: Error | undefined): void {
    if (this.#problems.get(subject) === problem?.message) return;
    if (problem === undefined) this.#problems.delete(subject);
    else this.#problems.set(subject, problem.message);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > MOST_PROBLEMS && oldest !== undefined) this.#problems.delete(oldest);
    this.#options.listener?.problem?.(subject, problem);
  }
}

function heldKey({ kind, namespace, name }: ObjectRef): string {
  return `${kind}/${namespace}/${name}`;
}
