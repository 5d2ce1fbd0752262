import type { Finding } from './finding.ts';

/** What makes two findings the same one, wherever the object has moved to in its file. */
export function findingIdentity({ code, object, field, message }: Finding): string {
  return JSON.stringify([code, object.kind, object.namespace, object.name, field, message]);
}
