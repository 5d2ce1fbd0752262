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
