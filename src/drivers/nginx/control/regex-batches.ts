import { MAX_CALL_BYTES, MAX_PATTERN_BYTES } from '../wire.ts';
import type { RegexQuestion } from './control-client.ts';

/** Each may take the engine a while, and a call has an end. */
const QUESTIONS_PER_CALL = 200;

export interface RegexBatch {
  /** Places of the questions in the list that was given. */
  readonly places: readonly number[];
  /** As JSON, one each. */
  readonly texts: readonly string[];
}

export interface RegexBatches {
  readonly batches: readonly RegexBatch[];
  /** Why a question is not asked at all, by its place. */
  readonly refused: ReadonlyMap<number, string>;
}

/**
 * Questions as calls that the control socket takes: few enough, and of at most 256 KiB together, unless one alone is
 * larger. What no engine could take is refused here, so that one pattern stops no other.
 */
export function regexBatches(questions: readonly RegexQuestion[]): RegexBatches {
  const batches: { places: number[]; texts: string[] }[] = [];
  const refused = new Map<number, string>();
  let size = 0;
  for (const [place, question] of questions.entries()) {
    const text = JSON.stringify(question);
    const bytes = Buffer.byteLength(text) + 1;
    const why = refusal(question, bytes);
    if (why !== undefined) {
      refused.set(place, why);
      continue;
    }
    const last = batches.at(-1);
    if (last === undefined || size + bytes > MAX_CALL_BYTES || last.places.length === QUESTIONS_PER_CALL) {
      batches.push({ places: [place], texts: [text] });
      size = bytes;
    } else {
      last.places.push(place);
      last.texts.push(text);
      size += bytes;
    }
  }
  return { batches, refused };
}

function refusal({ pattern, subject = '' }: RegexQuestion, bytes: number): string | undefined {
  const length = Buffer.byteLength(pattern);
  if (length > MAX_PATTERN_BYTES)
    return `it takes ${length} bytes, and the longest that is taken has ${MAX_PATTERN_BYTES}`;
  if (!pattern.isWellFormed() || !subject.isWellFormed()) return 'it holds half a character';
  return bytes + 2 > MAX_CALL_BYTES * 2 ? 'what it is asked about is too long' : undefined;
}
