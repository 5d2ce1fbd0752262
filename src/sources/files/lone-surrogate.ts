/**
 * Whether a JSON text, as JSON.stringify writes it, has half of a surrogate pair somewhere: these are the only ones that
 * it writes as escapes.
 */
export function hasLoneSurrogate(json: string): boolean {
  return json.includes('\\ud') && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json);
}
