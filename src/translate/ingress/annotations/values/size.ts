import { invalid, valid, type ValueKind } from './value-kind.ts';

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1024],
  ['m', 1024 ** 2],
  ['g', 1024 ** 3],
]);

/** A size in bytes as nginx writes it: `1000`, `8k`, `8m`, `1g`, either case. */
export const SIZE: ValueKind<number> = {
  name: 'size',
  grammar: 'a number of bytes, or one with k, m or g (8m)',
  parse(text) {
    const parts = text.length > 32 ? null : /^([0-9]+)([kmg]?)$/i.exec(text.trim());
    if (parts === null) return invalid('is not a size', withNginxUnit(text));
    const bytes = Number(parts[1]) * FACTORS.get(parts[2]!.toLowerCase())!;
    return Number.isSafeInteger(bytes) ? valid(bytes) : invalid('is larger than any size that can be kept');
  },
};

/** `8Mi`, `8 MB` and the like, as Kubernetes quantities and people write them. */
function withNginxUnit(text: string): string | undefined {
  const parts = text.length > 32 ? null : /^\s*([0-9]+)\s*([kmg])i?b?\s*$/i.exec(text);
  return parts === null ? undefined : `Write "${parts[1]}${parts[2]!.toLowerCase()}".`;
}
