import type { BackendRecord } from '../wire';
import { compileBackend, type Backend } from './backend';
import { createCache, forget, recall, remember } from './bounded-cache';
import { decodeRecord } from './decode-record';
import { settings } from './options';

const cache = createCache<Backend | false>(32768);

/** Up to so many backends share one group of kept-alive connections. */
const FEW = 64;
let many = false;

/** Whether this worker has met so many backends that their kept-alive connections are spread over groups. */
export function areBackendsSpread(): boolean {
  return many;
}

function renew(id: string, former: Backend | undefined): Backend | undefined {
  const key = 'b:' + id;
  const [text] = settings.data.get(key);
  if (text === undefined) {
    remember<Backend | false>(cache, id, false);
    return undefined;
  }
  if (former !== undefined && former.text === text) {
    former.stale = false;
    return former;
  }
  const backend = decodeRecord<BackendRecord, Backend>(key, text as string, (record) =>
    compileBackend(id, text as string, record, former),
  );
  remember<Backend | false>(cache, id, backend ?? false);
  many = many || cache.count > FEW;
  return backend;
}

export function findBackend(id: string): Backend | undefined {
  const known = cache.young.get(id) ?? recall(cache, id);
  if (known === undefined) {
    return renew(id, undefined);
  }
  if (known === false) {
    return undefined;
  }
  return known.stale ? renew(id, known) : known;
}

function isGone(id: string): boolean {
  const [text] = settings.data.get('b:' + id);
  return text === undefined;
}

/** What is known of the endpoints outlives a change of the record, but not its end: backends come and go without number. */
export function forgetBackend(id: string): void {
  const known = recall(cache, id);
  if (known === false || isGone(id)) {
    forget(cache, id);
  } else if (known !== undefined) {
    known.stale = true;
  }
}

function markStale(half: LuaTable<string, Backend | false>): void {
  const gone: string[] = [];
  for (const [id, known] of pairs(half)) {
    if (known === false || isGone(id)) {
      gone.push(id);
    } else {
      known.stale = true;
    }
  }
  for (const id of gone) {
    half.delete(id);
  }
}

export function forgetAllBackends(): void {
  markStale(cache.young);
  markStale(cache.old);
}
