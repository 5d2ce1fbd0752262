import * as cjson from 'cjson.safe';
import type { DataPlaneState } from '../wire';
import { listBad } from './bad-records';
import { readCounts } from './counters';
import { readLameDuck } from './lame-duck';
import { settings } from './options';

export function epochInForce(): string {
  const [epoch] = settings.data.get('epoch');
  return epoch === undefined ? '' : (epoch as string);
}

export function generationInForce(): number {
  const [generation] = settings.data.get('generation');
  return generation === undefined ? 0 : (generation as number);
}

/** As JSON. */
export function stateText(): string {
  const { data, certificates } = settings;
  const bad = listBad();
  const state: DataPlaneState = {
    conf: settings.conf,
    epoch: epochInForce(),
    generation: generationInForce(),
    pid: ngx.worker.pid(),
    free: [data.free_space(), certificates.free_space()],
    capacity: [data.capacity(), certificates.capacity()],
    bad: bad.length > 0 ? bad : (cjson.empty_array as DataPlaneState['bad']),
    counts: readCounts(),
    lameDuck: readLameDuck(),
  };
  return cjson.encode(state);
}
