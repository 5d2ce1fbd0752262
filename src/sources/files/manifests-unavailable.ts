/** A path given to a command has no manifests to read: it is missing or unreadable. */
export class ManifestsUnavailable extends Error {
  readonly code = 'MANIFESTS_UNAVAILABLE';
  readonly path: string;

  constructor(path: string, reason: string) {
    super(`Cannot read manifests from ${path}: ${reason}`);
    this.name = 'ManifestsUnavailable';
    this.path = path;
  }
}
