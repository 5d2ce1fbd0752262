import { KEPT_LOGS } from './change-log';
import { epochInForce, generationInForce, stateText } from './control-state';
import { readFrames } from './frame-reader';
import { settings } from './options';
import { writeFrames, type Writing } from './record-writer';
import { reply, replyText } from './control-reply';
import { writeLameDuck } from './lame-duck';

const LOCK = 'apply-lock';
/** Seconds after which the lock of a worker that died is void. */
const LOCK_LIFE = 10;
/** Above this many keys the log says "all": a thousand long lists would take more room than the hosts compile in. */
const MOST_LOGGED = 64;

export interface ApplyQuery {
  readonly conf: string;
  readonly epoch: string;
  readonly base: number;
  readonly generation: number;
}

function matches(query: ApplyQuery): boolean {
  if (query.conf !== settings.conf) {
    return false;
  }
  if (query.base === 0 && query.epoch !== epochInForce()) {
    return true;
  }
  return query.epoch === epochInForce() && query.base === generationInForce();
}

/** Puts a change into force for every request that begins from now on: first what changed, then that it did. */
function announce(changed: readonly string[]): void {
  const { data } = settings;
  const [version] = data.get('version');
  const next = (version as number) + 1;
  const text = changed.length > MOST_LOGGED ? '*' : table.concat(changed as string[], '\n');
  // Without room for the list the gap tells the workers to drop everything.
  data.delete('log:' + tostring(next - KEPT_LOGS));
  data.safe_set('log:' + tostring(next), text);
  data.incr('version', 1);
}

function applyLocked(query: ApplyQuery, body: string): void {
  if (!matches(query)) {
    reply(409, stateText());
    return;
  }
  const [frames, problem] = readFrames(body);
  if (frames === undefined) {
    replyText(400, problem);
    return;
  }
  const { data } = settings;
  const writing: Writing = { former: [], changed: [] };
  if (!writeFrames(frames, writing)) {
    // A worker may have read a value that was there for a moment.
    announce(writing.changed);
    replyText(507, 'There is no room for this change in shared memory; it is not in force.');
    return;
  }
  const [epochSet] = data.safe_set('epoch', query.epoch);
  const [generationSet] = data.safe_set('generation', query.generation);
  announce(writing.changed);
  if (!epochSet || !generationSet) {
    replyText(507, 'There is no room for the generation in shared memory.');
    return;
  }
  reply(200, stateText());
}

/** Makes each answer from now on the last of its connection, or ends that. */
export function setLameDuck(on: boolean): void {
  if (!writeLameDuck(on)) {
    replyText(507, 'There is no room in shared memory.');
    return;
  }
  announce([]);
  reply(200, stateText());
}

export function apply(query: ApplyQuery, body: string): void {
  const { data } = settings;
  const [locked] = data.safe_add(LOCK, ngx.worker.pid(), LOCK_LIFE);
  if (!locked) {
    reply(409, stateText());
    return;
  }
  const [good, problem] = pcall(applyLocked, query, body);
  data.delete(LOCK);
  if (!good) {
    error(problem, 0);
  }
}
