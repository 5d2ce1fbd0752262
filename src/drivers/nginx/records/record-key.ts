/** The four kinds of records, by the letter that their keys begin with; in the order in which they must be put. */
export const RECORD_KINDS = ['c', 'b', 's', 'h'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** `b:shop/web:http`. A key has no white space, so an id's is written as `%20`, and `%` as `%25`. */
export function recordKey(kind: RecordKind, id: string): string {
  return `${kind}:${recordName(id)}`;
}

/** An id as records refer to it. */
export function recordName(id: string): string {
  return /[\s%]/u.test(id) ? id.replaceAll(/[\s%]/gu, (character) => encodeURIComponent(character)) : id;
}

export function recordKindOf(key: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => key.startsWith(`${kind}:`));
}
