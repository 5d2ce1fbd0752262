import { DRIVER_FINDINGS } from '../diagnostics/drivers.ts';
import type { Finding } from '../diagnostics/finding.ts';
import type { Applied, Capabilities, Driver, DriverState, Plan } from '../drivers/driver.ts';
import { encodeCheckedLine } from '../lib/checked-line.ts';
import { CodedError } from '../lib/coded-error.ts';
import { deltaSize, emptyDelta, wholeModel } from '../model/diff.ts';
import { MODEL_TABLES, type Model, type ModelDelta, type ModelTable } from '../model/model.ts';
import type { Origin } from '../model/origin.ts';
import { putLine } from '../model/part-line.ts';
import type { ChangeLog } from './change-log.ts';
import type { LineChannel } from './line-channel.ts';
import type { PatternQuestion, Position, ProxyMessage, ProxyReport } from './messages.ts';
import { partDigest } from './part-digest.ts';

/** Characters of lines that are put together before they are written, and before other work gets its turn. */
const SLICE = 65_536;
const MATCH_PATIENCE = 2000;
const ANYTHING: ReadonlySet<string> = new Set();

export interface RemoteProxyOptions {
  /** As a driver: `proxy/NAME`. */
  readonly name: string;
  readonly channel: LineChannel;
  readonly log: ChangeLog;
  /** Where it connected from, for the status. */
  readonly peer: string;
  readonly software: string;
  /** What it has already of this very run of the controller. */
  readonly have: Position | undefined;
  readonly onReload: (reason: string, detail: string) => void;
  /** It told how it is, and that is something new. */
  readonly onReport: () => void;
  readonly onSettle: () => Promise<boolean>;
}

/**
 * One connected proxy, as a driver: an apply sends what changed and resolves when the proxy has it in force. So a slow
 * proxy gets merged changes like any slow load balancer, delays nobody, and nothing is kept for it but keys.
 */
export class RemoteProxy implements Driver {
  readonly name: string;
  /** What its load balancer can't do comes back as findings. */
  readonly capabilities: Capabilities = {
    listeners: ANYTHING,
    filters: ANYTHING,
    balancing: ANYTHING,
    protocols: ANYTHING,
  };
  readonly #options: RemoteProxyOptions;
  readonly #channel: LineChannel;
  readonly #since = new Date().toISOString();
  readonly #matches = new Map<number, PromiseWithResolvers<object>>();
  #report: ProxyReport | undefined;
  #planned: readonly Finding[] = [];
  #quarantined: readonly Finding[] = [];
  /** The log's newest generation when the last plan was made. */
  #generation = 0;
  #commit = 0;
  #applying: { readonly commit: number; readonly done: PromiseWithResolvers<void> } | undefined;
  #comparing: PromiseWithResolvers<void> | undefined;
  #digests = new Map<string, string>();
  #have: Position | undefined;
  #gone: Error | undefined;

  constructor(options: RemoteProxyOptions) {
    this.name = options.name;
    this.#options = options;
    this.#channel = options.channel;
    this.#have = options.have;
  }

  async start(): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
  }

  plan(model: Model, delta: ModelDelta | undefined): Plan {
    this.#generation = this.#options.log.newest;
    const changes = Object.fromEntries(MODEL_TABLES.map((table) => [table, (delta ?? model)[table].size]));
    return { summary: `${deltaSize(delta ?? wholeModel(model))} parts for ${this.name}`, changes, findings: [] };
  }

  async apply(model: Model, delta: ModelDelta | undefined): Promise<Applied> {
    const generation = this.#generation;
    const reloads = this.#report?.reloads;
    const owed = delta ?? (await this.#owed(model));
    const refused = await this.#send(model, owed);
    if (this.#gone !== undefined) throw this.#gone;
    const commit = ++this.#commit;
    const done = Promise.withResolvers<void>();
    this.#applying = { commit, done };
    this.#channel.send({ type: 'commit', commit, generation });
    try {
      await done.promise;
    } finally {
      this.#applying = undefined;
    }
    return {
      reloaded: reloads !== this.#report?.reloads,
      quarantined: [...this.#quarantined, ...refused],
      findings: this.#planned,
    };
  }

  async observe(): Promise<DriverState> {
    const { peer, software } = this.#options;
    const report = this.#report;
    if (report === undefined) return { name: this.name, healthy: true, detail: { peer, software, since: this.#since } };
    const { healthy, detail, ...rest } = report;
    return {
      name: this.name,
      healthy: healthy && report.ready,
      detail: { peer, software, since: this.#since, ...rest, loadBalancer: detail, findings: this.#quarantined },
    };
  }

  async stop(): Promise<void> {
    this.#channel.close();
  }

  /** Has the engine of its load balancer try a pattern. */
  async match(question: PatternQuestion, id: number): Promise<object> {
    const asked = Promise.withResolvers<object>();
    this.#matches.set(id, asked);
    this.#channel.send({ type: 'match', id, question });
    const timer = setTimeout(
      () => asked.reject(new CodedError('stream-silent', `${this.name} did not answer`)),
      MATCH_PATIENCE,
    );
    return asked.promise.finally(() => {
      clearTimeout(timer);
      this.#matches.delete(id);
    });
  }

  /** Takes a message of the proxy's, other than its hello. */
  take(message: ProxyMessage): void {
    switch (message.type) {
      case 'digests':
        for (const [key, digest] of message.entries) this.#digests.set(`${message.table} ${key}`, digest);
        if (message.last) this.#comparing?.resolve();
        break;
      case 'applied':
        if (this.#applying?.commit === message.commit) this.#applying.done.resolve();
        break;
      case 'failed': {
        const { code, message: why, remedy } = message.error;
        const options = remedy === undefined ? {} : { remedy };
        this.#applying?.done.reject(new CodedError(code, `${this.name}: ${why}`, options));
        break;
      }
      case 'findings':
        this.#planned = message.planned;
        this.#quarantined = message.quarantined;
        break;
      case 'report':
        this.#report = message.report;
        this.#options.onReport();
        break;
      case 'reloaded':
        this.#options.onReload(message.reason, message.detail);
        break;
      case 'settle':
        void this.#options.onSettle().then((done) => this.#channel.send({ type: 'settled', id: message.id, done }));
        break;
      case 'matched': {
        const { answer, error } = message;
        const asked = this.#matches.get(message.id);
        if (answer !== undefined) asked?.resolve(answer);
        else asked?.reject(new CodedError(error?.code ?? 'stream', error?.message ?? 'no answer'));
        break;
      }
      default:
    }
  }

  /** The connection has ended: whoever waits for something is told. */
  end(error: Error): void {
    this.#gone = error;
    this.#applying?.done.reject(error);
    this.#comparing?.reject(error);
    for (const asked of this.#matches.values()) asked.reject(error);
  }

  /** What the proxy lacks: known by its position, or found by comparing digests. */
  async #owed(model: Model): Promise<ModelDelta> {
    const since = this.#have === undefined ? undefined : this.#options.log.since(this.#have.generation);
    // Asked for again after a failure, the position is no longer what it has in full.
    this.#have = undefined;
    if (since !== undefined) return since;
    if (this.#gone !== undefined) throw this.#gone;
    this.#digests = new Map();
    this.#comparing = Promise.withResolvers();
    this.#channel.send({ type: 'compare' });
    await this.#comparing.promise;
    const owed = emptyDelta() as Record<ModelTable, Set<string>>;
    let looked = 0;
    for (const table of MODEL_TABLES) {
      for (const [key, part] of model[table]) {
        if (++looked % 500 === 0) await new Promise(setImmediate);
        const theirs = `${table} ${key}`;
        if (this.#digests.get(theirs) !== partDigest(table, key, part)) owed[table].add(key);
        this.#digests.delete(theirs);
      }
    }
    for (const theirs of this.#digests.keys()) {
      const at = theirs.indexOf(' ');
      owed[theirs.slice(0, at) as ModelTable]?.add(theirs.slice(at + 1));
    }
    this.#digests = new Map();
    return owed;
  }

  /** Answers with findings about parts that can't be sent. */
  async #send(model: Model, delta: ModelDelta): Promise<readonly Finding[]> {
    let text = '';
    const refused: Finding[] = [];
    for (const table of MODEL_TABLES) {
      for (const key of delta[table]) {
        const part = model[table].get(key);
        const line = encodeCheckedLine(part === undefined ? { delete: table, key } : putLine(table, key, part));
        // Bytes are at most three for each unit of the text.
        if (line.length * 3 > this.#channel.mostBytes && Buffer.byteLength(line) >= this.#channel.mostBytes) {
          refused.push(tooLarge(part!, this.#channel.mostBytes));
          continue;
        }
        text += line;
        if (text.length < SLICE) continue;
        this.#channel.sendLine(text);
        text = '';
        await new Promise(setImmediate);
        await this.#channel.drained();
        if (this.#gone !== undefined) throw this.#gone;
      }
    }
    this.#channel.sendLine(text);
    return refused;
  }
}

/** About a part that stays as it was in the proxy. */
function tooLarge(part: { readonly origin: Origin } | { readonly origins: readonly Origin[] }, most: number): Finding {
  const { object, field } = 'origin' in part ? part.origin : (part.origins[0] ?? NOWHERE);
  const { code, severity, fix } = DRIVER_FINDINGS.recordTooLarge;
  const message = `It takes more than ${most} bytes, and can't be sent to a proxy; what was there before stays.`;
  return { code, severity, object, field, message, fix };
}

const NOWHERE: Origin = { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field: '' };
