import * as cjson from 'cjson.safe';
import { reportBad } from './bad-records';

/**
 * Decodes and compiles a record's text. A record that fails is reported and gives nothing: it must never cost more
 * than what it describes.
 */
export function decodeRecord<R, C>(key: string, text: string, compile: (this: void, record: R) => C): C | undefined {
  const [record, problem] = cjson.decode(text);
  if (record === undefined) {
    reportBad(key, 'not JSON: ' + tostring(problem));
    return undefined;
  }
  const [good, result] = pcall(compile, record as R);
  if (!good) {
    reportBad(key, tostring(result));
    return undefined;
  }
  return result as C;
}
