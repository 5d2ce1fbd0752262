/**
 * Whether a folder entry may be a manifest or a sub-folder with manifests. Hidden entries are not: editors keep swap and
 * lock files there, git its objects, and the kubelet the real folders behind a ConfigMap volume (`..data`,
 * `..2024_05_01_…`), whose files are reached by the symbolic links beside them.
 */
export function isVisible(name: string): boolean {
  return !name.startsWith('.');
}

/** By its extension: `.yaml`, `.yml` or `.json`. */
export function isManifestName(name: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(name);
}

/** What stands in a name, as text, for bytes that are not UTF-8; and, in a name that is UTF-8, for itself. */
const REPLACEMENT = '\u{FFFD}';

/** Whether a name, as text, may have been given in bytes that are not UTF-8, so that nothing is found under it. */
export function isDoubtful(name: string): boolean {
  return name.includes(REPLACEMENT);
}

/** A name that is not UTF-8, for people: `caf\xE9.yaml`. */
export function escapedName(name: Uint8Array): string {
  const plain = (byte: number) => byte >= 0x20 && byte < 0x7f;
  const escaped = (byte: number) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return Array.from(name, (byte) => (plain(byte) ? String.fromCharCode(byte) : escaped(byte))).join('');
}
