const MEBIBYTE = 1024 * 1024;

/**
 * How much one manifest may cost. Kubernetes keeps an object in etcd, whose requests end at 1.5 MiB by default, so a
 * larger object could not exist in a cluster either. Lists are exempt from the document limit: they are how
 * `kubectl get -o yaml` writes many objects, and each of their items is measured for itself.
 */
export const MANIFEST_LIMITS = {
  /** Bytes of a file. */
  file: 64 * MEBIBYTE,
  /** UTF-16 units of a document's text, above which it isn't even parsed. */
  document: 3 * MEBIBYTE,
  /** UTF-16 units of an object written as JSON without spaces. */
  object: 1.5 * MEBIBYTE,
} as const;
