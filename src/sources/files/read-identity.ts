import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import type { ObjectRef } from '../../model/origin.ts';
import { RESOURCE_KINDS, type ResourceKind } from '../../snapshot/resource.ts';
import { looksLikeTemplate, RENDER_FIRST } from './helm-template.ts';
import { isFields } from './is-fields.ts';

/** What a parsed object says it is. */
export type Identity =
  | { readonly type: 'object'; readonly ref: ObjectRef }
  /** Of a kind that weir doesn't read; `notYet`: what is to be said of that. */
  | { readonly type: 'other'; readonly notYet?: string }
  /** Of a kind that weir reads, in a version that it doesn't. */
  | { readonly type: 'outdated'; readonly ref: ObjectRef; readonly message: string; readonly fix: string }
  | {
      readonly type: 'wrong';
      readonly entry: CatalogueEntry;
      readonly field: string;
      readonly message: string;
      readonly fix?: string | undefined;
    };

const CLUSTER_WIDE: ReadonlySet<string> = new Set<ResourceKind>(['IngressClass', 'Namespace']);

/** Groups in which a kind once lived. */
const FORMER_GROUPS: Readonly<Record<string, string>> = { Ingress: 'extensions' };

/** DNS-1123 subdomain and label: what the API server accepts as names of these kinds and of namespaces. */
const NAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^(?=.{1,63}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** A group (but for the API without one) and a version. */
const API_VERSION = /^(?=.{1,317}$)(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** Kind, namespace and name of an object; the namespace is `default` where none is given, '' for cluster-wide kinds. */
export function readIdentity(value: unknown): Identity {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(SOURCE_FINDINGS.notAnObject, '', `The document is ${describe(value)}, not a Kubernetes object.`);
  }
  const { kind, apiVersion, metadata } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || kind === '') {
    return wrong(SOURCE_FINDINGS.notAnObject, 'kind', 'The document has no kind.');
  }
  if (!isResourceKind(kind)) return readOther(kind, apiVersion);
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    return wrong(
      SOURCE_FINDINGS.notAnObject,
      'apiVersion',
      `The ${kind} has no apiVersion.`,
      `Set apiVersion: ${versionOf(kind)}.`,
    );
  }
  if (!API_VERSION.test(apiVersion)) {
    const message = `The ${kind} has the apiVersion ${quote(apiVersion)}, which can be none.`;
    return wrong(SOURCE_FINDINGS.notAnObject, 'apiVersion', message, `Set apiVersion: ${versionOf(kind)}.`);
  }
  const group = groupOf(apiVersion);
  // Other APIs have kinds of the same names: Knative's Service, OpenShift's Ingress.
  // The one without a group is Kubernetes' own.
  if (group !== RESOURCE_KINDS[kind] && group !== FORMER_GROUPS[kind] && group !== '') return { type: 'other' };
  const { name, namespace = 'default', generateName } = isFields(metadata) ? metadata : {};
  if (name === undefined || name === null || name === '') {
    const generated = generateName === undefined ? '' : ' generateName needs an API server to make one.';
    return wrong(SOURCE_FINDINGS.nameMissing, 'metadata.name', `The ${kind} has no name.${generated}`);
  }
  if (typeof name !== 'string') {
    return wrong(
      SOURCE_FINDINGS.nameMissing,
      'metadata.name',
      `The name of the ${kind} is ${describe(name)}, not text.`,
    );
  }
  if (!NAME.test(name)) {
    const message = `${kind} has the name ${quote(name)}.`;
    return wrong(
      SOURCE_FINDINGS.nameInvalid,
      'metadata.name',
      message,
      looksLikeTemplate(name) ? RENDER_FIRST : undefined,
    );
  }
  const ref = { kind, namespace: '', name };
  if (CLUSTER_WIDE.has(kind)) return checked(ref, apiVersion);
  const given = namespace === null || namespace === '' ? 'default' : namespace;
  if (typeof given !== 'string') {
    const message = `The namespace of ${kind} ${quote(name)} is ${describe(given)}, not text.`;
    return wrong(SOURCE_FINDINGS.nameMissing, 'metadata.namespace', message);
  }
  if (!NAMESPACE.test(given)) {
    const message = `${kind} ${quote(name)} has the namespace ${quote(given)}.`;
    return wrong(SOURCE_FINDINGS.nameInvalid, 'metadata.namespace', message);
  }
  return checked({ ...ref, namespace: given }, apiVersion);
}

/** API servers compare kinds with their case; people don't. */
const BY_LOWER_CASE: ReadonlyMap<string, ResourceKind> = new Map(
  (Object.keys(RESOURCE_KINDS) as ResourceKind[]).map((kind) => [kind.toLowerCase(), kind]),
);
const GATEWAY_API = 'gateway.networking.k8s.io';

function readOther(kind: string, apiVersion: unknown): Identity {
  if (typeof apiVersion !== 'string') return { type: 'other' };
  const group = groupOf(apiVersion);
  if (group === GATEWAY_API) {
    return { type: 'other', notYet: `${quote(kind)} of ${GATEWAY_API} is not read yet; it is left out.` };
  }
  const meant = BY_LOWER_CASE.get(kind.toLowerCase());
  if (meant === undefined || (group !== RESOURCE_KINDS[meant] && group !== FORMER_GROUPS[meant])) {
    return { type: 'other' };
  }
  const message = `There is no kind ${quote(kind)}; the object is left out.`;
  return wrong(SOURCE_FINDINGS.kindMisspelt, 'kind', message, `Write kind: ${meant}.`);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function checked(ref: ObjectRef & { readonly kind: ResourceKind }, apiVersion: string): Identity {
  const wanted = versionOf(ref.kind);
  if (apiVersion === wanted) return { type: 'object', ref };
  const message = `The ${ref.kind} is written for ${quote(apiVersion)}; weir reads ${wanted}.`;
  return { type: 'outdated', ref, message, fix: `Convert it to ${wanted} (\`kubectl convert\` does it).` };
}

function wrong(entry: CatalogueEntry, field: string, message: string, fix?: string): Identity {
  return { type: 'wrong', entry, field, message, fix };
}

function versionOf(kind: ResourceKind): string {
  const group = RESOURCE_KINDS[kind];
  return group === '' ? 'v1' : `${group}/v1`;
}

function isResourceKind(kind: string): kind is ResourceKind {
  return Object.hasOwn(RESOURCE_KINDS, kind);
}

/** A name in a message: on one line, and not a page of it. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'empty';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}
