import { settings } from './options';

/** In the data zone while clients are to leave: every worker of every configuration sees it, and so does one made anew. */
const KEY = 'lame-duck';

let leaving = false;

/** To be called when anything was applied. */
export function noteLameDuck(): void {
  leaving = readLameDuck();
}

/** Whether each answer is to be the last of its connection, as of the last look at what was applied. */
export function isLameDuck(): boolean {
  return leaving;
}

export function readLameDuck(): boolean {
  const [value] = settings.data.get(KEY);
  return value !== undefined;
}

/** False: there is no room. Workers learn of it by the next version. */
export function writeLameDuck(on: boolean): boolean {
  if (!on) {
    settings.data.delete(KEY);
    return true;
  }
  const [done] = settings.data.safe_set(KEY, 1);
  return done;
}
