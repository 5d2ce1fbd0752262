import type { KubeObject } from '../../../src/kube/kube-object.ts';
import type { ObjectStore } from './object-store.ts';
import type { RequestTarget } from './request-target.ts';
import { statusObject, type StatusFields } from './status-object.ts';
import type { NewObject } from './stored-object.ts';

type Json = Readonly<Record<string, unknown>>;

export interface WriteAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Create, replace, merge patch and delete, with conflicts by resourceVersion. Apply patches are merged: field owners are not kept. */
export function writeRoute(store: ObjectStore, method: string, target: RequestTarget, body: unknown): WriteAnswer {
  const given = (body ?? {}) as NewObject;
  const key = `${target.namespace ?? ''}/${target.name ?? given.metadata?.name ?? ''}`;
  const there = store.get(target, key);
  if (method === 'POST') {
    if (there !== undefined)
      return refused({ code: 409, reason: 'AlreadyExists', message: `${target.plural} "${key}" already exists` });
    return { status: 201, body: store.create(target, placed(given, target)) };
  }
  if (there === undefined) {
    return method === 'PATCH' && target.subresource === undefined && given.metadata !== undefined
      ? { status: 201, body: store.create(target, placed(given, target)) }
      : refused({ code: 404, message: `${target.plural} "${target.name}" not found` });
  }
  if (method === 'DELETE') return { status: 200, body: store.delete(target, key) };
  const version = given.metadata?.resourceVersion;
  if (version !== undefined && version !== there.metadata.resourceVersion) {
    return refused({
      code: 409,
      message: `Operation cannot be fulfilled on ${target.plural} "${target.name}": the object has been modified`,
    });
  }
  const next = method === 'PUT' ? given : (merged(there, given) as KubeObject);
  // A subresource changes its own part and nothing else.
  const whole = target.subresource === undefined ? next : { ...there, [target.subresource]: next[target.subresource] };
  return { status: 200, body: store.update(target, placed(whole, target)) };
}

function placed(object: NewObject, { name, namespace }: RequestTarget): NewObject {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}

/** RFC 7386. */
function merged(there: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof there === 'object' && there !== null && !Array.isArray(there) ? { ...there } : {};
  for (const [name, value] of Object.entries(patch as Json)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

function refused(status: StatusFields): WriteAnswer {
  return { status: status.code, body: statusObject(status) };
}
