import { settings } from './options';

/** Slots for what could not be used; more than these would tell an operator nothing new. */
const SLOTS = 256;

export interface BadRecord {
  key: string;
  error: string;
}

/** Notes a record that could not be used, once, in the data zone, so that every worker's state tells it. */
export function reportBad(key: string, problem: string): void {
  ngx.log(ngx.ERR, 'weir: record ', key, ' can not be used: ', problem);
  const { data } = settings;
  const [first] = data.safe_add('bad:' + key, string.sub(problem, 1, 500));
  if (!first) {
    return;
  }
  data.safe_add('bad-count', 0);
  const [count] = data.incr('bad-count', 1);
  if (count !== undefined) {
    data.safe_set('bad-slot:' + tostring(count % SLOTS), key);
  }
}

/** A new value of the record may be good. */
export function clearBad(key: string): void {
  settings.data.delete('bad:' + key);
}

export function listBad(): BadRecord[] {
  const { data } = settings;
  const found: BadRecord[] = [];
  const [count] = data.get('bad-count');
  if (count === undefined) {
    return found;
  }
  const listed = new LuaTable<string, boolean>();
  for (const slot of $range(0, SLOTS - 1)) {
    const [key] = data.get('bad-slot:' + tostring(slot));
    if (key !== undefined && !listed.has(key as string)) {
      const [problem] = data.get('bad:' + tostring(key));
      if (problem !== undefined) {
        listed.set(key as string, true);
        found.push({ key: key as string, error: problem as string });
      }
    }
  }
  return found;
}
