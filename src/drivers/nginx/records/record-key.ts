/** The kinds of records, by the letter that their keys begin with; in the order in which they must be put. */
export const RECORD_KINDS = ['c', 'a', 'b', 'l', 's', 'h'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** `b:shop/web:http`. Nothing in a key can end it. */
export function recordKey(kind: RecordKind, id: string): string {
  return `${kind}:${recordName(id)}`;
}

const PLAIN = /^[\x21-\x24\x26-\x7e]*$/;

/** An id as records refer to it: in printable ASCII, everything else and `%` escaped by their bytes (`%20`). */
export function recordName(id: string): string {
  if (PLAIN.test(id)) return id;
  return id.toWellFormed().replaceAll(/[^\x21-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** The id that has this name. */
export function recordId(name: string): string {
  return name.includes('%') ? decodeURIComponent(name) : name;
}

export function recordKindOf(key: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => key.startsWith(`${kind}:`));
}
