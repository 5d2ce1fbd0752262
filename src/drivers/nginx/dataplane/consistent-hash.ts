import type { Backend } from './backend';
import { mayTake, type Attempt, type Strictness } from './choice';
import type { Endpoint } from './endpoint';

/** Murmur3's finish: every bit of the input moves every bit of the output. A number from 0 to 2³²-1. */
function mix(value: number): number {
  let h = value;
  h = multiply(h ^ (h >>> 16), 0x85ebca6b);
  h = multiply(h ^ (h >>> 13), 0xc2b2ae35);
  h = h ^ (h >>> 16);
  return h < 0 ? h + 4_294_967_296 : h;
}

/** The low 32 bits of a product; a double can't hold the whole one. */
function multiply(a: number, b: number): number {
  const low = a & 0xffff;
  const high = a >>> 16;
  return (low * b + (((high * (b & 0xffff)) | 0) << 16)) | 0;
}

function score(endpoint: Endpoint, hash: number, weighted: boolean): number {
  const point = mix(hash ^ endpoint.seed);
  if (!weighted) {
    return point;
  }
  return -endpoint.weight / math.log((point + 1) / 4_294_967_297);
}

/**
 * Rendezvous hashing: a key goes to the endpoint that scores highest with it. Nothing is built when endpoints change,
 * only the keys of a lost endpoint move, and the next best is the natural one for a retry.
 */
export function consistentHash(
  backend: Backend,
  record: Attempt,
  strictness: Strictness,
  now: number,
): Endpoint | undefined {
  if (backend.subset > 1) {
    return fromSubset(backend, record, strictness, now);
  }
  const { list, size, equalWeights } = backend;
  let best: Endpoint | undefined;
  let bestScore = -1;
  for (const index of $range(1, size)) {
    const endpoint = list.get(index);
    const points = score(endpoint, record.hash, !equalWeights);
    if (points > bestScore && mayTake(endpoint, record, strictness, now)) {
      best = endpoint;
      bestScore = points;
    }
  }
  return best;
}

/** One at random of the `subset` endpoints that score highest with the key. */
function fromSubset(backend: Backend, record: Attempt, strictness: Strictness, now: number): Endpoint | undefined {
  const { list, size, subset, equalWeights } = backend;
  const chosen: Endpoint[] = [];
  const scores: number[] = [];
  for (const index of $range(1, size)) {
    const endpoint = list.get(index);
    if (mayTake(endpoint, record, strictness, now)) {
      const points = score(endpoint, record.hash, !equalWeights);
      let place = scores.length;
      while (place > 0 && scores[place - 1]! < points) {
        place -= 1;
      }
      if (place < subset) {
        table.insert(scores, place + 1, points);
        table.insert(chosen, place + 1, endpoint);
        if (scores.length > subset) {
          table.remove(scores);
          table.remove(chosen);
        }
      }
    }
  }
  return chosen.length === 0 ? undefined : chosen[math.random(chosen.length) - 1];
}
