import { changeAt, completed, type FieldPath } from './field-path.ts';
import { type HostileValue, RAW_BYTES } from './hostile-values.ts';
import type { Place } from './places.ts';
import type { Specimen } from './specimen.ts';

/** A hostile value at a place, instead of what stands there or behind it. */
export interface Mutation {
  readonly place: Place;
  readonly value: HostileValue;
  readonly behind: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export interface Spoiled {
  readonly specimen: Specimen;
  readonly mutations: readonly Mutation[];
  readonly objects: ReadonlyMap<string, Json>;
  /** Every object of the file. */
  readonly all: readonly Json[];
}

const CANARY = 'nginx.ingress.kubernetes.io/canary';

/** `adminPort`: where a value that is an address is to lead. */
export function spoil(specimen: Specimen, mutations: readonly Mutation[], adminPort: number): Spoiled {
  const objects = new Map(specimen.objects);
  if (mutations.some(({ value }) => value.atAdminPort === true)) leadTo(objects, adminPort);
  for (const { place } of mutations) {
    for (const [key, value] of Object.entries(place.needs)) {
      put(objects, 'Ingress', [{ member: 'metadata' }, { member: 'annotations' }, { entry: key }], () => value);
    }
    // Without slices, what Endpoints say counts.
    if (place.kind === 'Endpoints') objects.delete('EndpointSlice');
    if (place.kind === 'IngressClass') setClass(objects, `${specimen.id}-class`);
  }
  for (const { place, value, behind } of mutations) {
    put(objects, place.kind, place.path, (text) => (behind ? `${text}${value.text}` : value.text), place.otherwise);
    const object = objects.get(place.kind);
    if (object !== undefined) objects.set(place.kind, completed(object, place.schema) as Json);
  }
  return { specimen, mutations, objects, all: [...objects.values(), ...canaryMain(specimen, objects)] };
}

/** One line of what was done, for a report. */
export function told({ mutations }: Pick<Spoiled, 'mutations'>): string {
  return mutations.map(({ place, value, behind }) => `${place.name}${behind ? ' +=' : ' ='} ${value.name}`).join('; ');
}

/** As a List in JSON; lone surrogates are escapes there, and bytes that are no UTF-8 are put in. */
export function fileOf({ all }: Spoiled): Buffer {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all }, undefined, 1);
  const parts = text.split(/([\u{F8F0}-\u{F8F2}])/u);
  return Buffer.concat(parts.map((part) => RAW_BYTES.get(part) ?? Buffer.from(part)));
}

function put(
  objects: Map<string, Json>,
  kind: string,
  path: FieldPath,
  change: (text: string) => string,
  otherwise = '',
): void {
  objects.set(kind, changeAt(objects.get(kind), path, otherwise, change) as Json);
}

function setClass(objects: Map<string, Json>, name: string): void {
  put(objects, 'Ingress', [{ member: 'spec' }, { member: 'ingressClassName' }], () => name);
}

/** Every port of the endpoints and the Service is this one. */
function leadTo(objects: Map<string, Json>, port: number): void {
  const led = (value: unknown): unknown => {
    if (Array.isArray(value)) return (value as unknown[]).map(led);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        typeof inner === 'number' && ['port', 'targetPort', 'number'].includes(key) ? port : led(inner),
      ]),
    );
  };
  for (const [kind, object] of objects) objects.set(kind, led(object) as Json);
}

/** A canary is one only beside an Ingress that isn't. */
function canaryMain({ id }: Specimen, objects: ReadonlyMap<string, Json>): readonly Json[] {
  const canary = objects.get('Ingress');
  const { annotations } = (canary?.['metadata'] ?? {}) as { readonly annotations?: Readonly<Record<string, unknown>> };
  if (canary === undefined || annotations?.[CANARY] !== 'true') return [];
  const plain = { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' };
  return [{ ...canary, metadata: { name: `${id}-main`, namespace: 'default', annotations: plain } }];
}
