import type { ObjectRef } from '../../model/origin.ts';

/** `shop/clients` → the Secret of that namespace and name. */
export function secretRef(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return { kind: 'Secret', namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
