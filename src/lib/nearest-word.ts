import { editDistance } from './edit-distance.ts';

/**
 * The candidate that `word` was probably meant to be: the one with the fewest edits, if those are few for its length.
 * Equal distances go to the earlier candidate.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let limit = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}
