import { type AnnotationReference, annotationReference } from '../../src/translate/ingress/annotations/reference.ts';
import { type FieldPath, leavesOf, pathText } from './field-path.ts';
import { kindSchemas, type Schema } from './kind-schemas.ts';
import type { Specimen } from './specimen.ts';

/** A field, or an annotation of an Ingress, where a hostile value can stand. */
export interface Place {
  readonly name: string;
  readonly kind: string;
  readonly path: FieldPath;
  readonly schema: Schema;
  /** What it holds where the sample holds nothing. */
  readonly otherwise: string;
  /** Annotations without which the place counts for nothing. */
  readonly needs: Readonly<Record<string, string>>;
  /** Of an annotation: its whole key. */
  readonly annotation?: string;
}

/** Fields of every object, which no schema of a kind has. */
const HEAD: readonly FieldPath[] = [
  [{ member: 'apiVersion' }],
  [{ member: 'kind' }],
  [{ member: 'metadata' }, { member: 'name' }],
  [{ member: 'metadata' }, { member: 'namespace' }],
];
const CONFIG_DATA: Schema = {
  properties: { data: { patternProperties: { '': { type: 'string' } } } },
};
const CONTEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'proxy-ssl-': {
    'backend-protocol': 'HTTPS',
    'proxy-ssl-secret': 'default/backend-tls',
    'proxy-ssl-verify': 'on',
    'proxy-ssl-name': 'web.internal.example',
    'proxy-ssl-server-name': 'on',
  },
  'auth-tls-': { 'auth-tls-secret': 'default/client-authorities' },
};
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';
const PREFIX = 'nginx.ingress.kubernetes.io/';

/** Every field of every kind that weir reads, and every annotation that it knows, under both prefixes. */
export async function allPlaces(sample: Specimen): Promise<readonly Place[]> {
  const schemas = await kindSchemas();
  const fields = [...schemas].flatMap(([kind, known]) => {
    const schema = known.properties === undefined ? CONFIG_DATA : known;
    const paths = [...HEAD, ...leavesOf(schema, sample.objects.get(kind))];
    return paths.map(
      (path): Place => ({ name: `${kind}${pathText(path)}`, kind, path, schema, otherwise: 'fuzz', needs: {} }),
    );
  });
  const ingress = schemas.get('Ingress') ?? {};
  const references = annotationReference();
  const example = (name: string) => exampleOf(references.find((reference) => reference.name === name));
  const needed = (name: string | undefined): Record<string, string> => {
    if (name === undefined) return {};
    const next = references.find((reference) => reference.name === name)?.needs;
    return { ...contextOf(name), ...needed(next), [`${PREFIX}${name}`]: example(name) };
  };
  const annotations = references.flatMap(({ name, keys, needs }) =>
    keys.map((key) => annotationPlace(ingress, key, example(name), { ...contextOf(name), ...needed(needs) })),
  );
  const others: readonly Place[] = [
    annotationPlace(ingress, CLASS_ANNOTATION, 'weir', {}),
    { ...annotationPlace(schemas.get('IngressClass') ?? {}, DEFAULT_CLASS, 'false', {}), kind: 'IngressClass' },
    regexPath(ingress),
    ...[PREFIX, 'weir.dev/'].map((renamed): Place => {
      const path: FieldPath = [{ member: 'metadata' }, { member: 'annotations' }, { renamed }];
      return {
        name: `Ingress annotation ${renamed}…`,
        kind: 'Ingress',
        path,
        schema: ingress,
        otherwise: '',
        needs: {},
      };
    }),
  ];
  return [...fields, ...annotations, ...others];
}

/** The example of an annotation; where it names a Secret, one in the namespace of the specimens. */
export function exampleOf({ name, example }: Partial<AnnotationReference> = {}): string {
  if (example === undefined) return 'true';
  return name?.endsWith('-secret') === true ? example.replace(/^.*\//, 'default/') : example;
}

/** Names of the Secrets in the examples. */
export function secretsOfExamples(): readonly string[] {
  const named = annotationReference().filter(({ name, example }) => name.endsWith('-secret') && example !== undefined);
  return [...new Set(named.map((reference) => exampleOf(reference).slice('default/'.length)))];
}

/** What else it takes for an annotation to count, where none of its own needs says so. */
function contextOf(name: string): Readonly<Record<string, string>> {
  const context = Object.entries(CONTEXTS).find(([family]) => name.startsWith(family))?.[1] ?? {};
  return Object.fromEntries(Object.entries(context).map(([each, text]) => [`${PREFIX}${each}`, text]));
}

function annotationPlace(
  schema: Schema,
  key: string,
  otherwise: string,
  needs: Readonly<Record<string, string>>,
): Place {
  const path: FieldPath = [{ member: 'metadata' }, { member: 'annotations' }, { entry: key }];
  return { name: `annotation ${key}`, kind: 'Ingress', path, schema, otherwise, needs, annotation: key };
}

/** The path again, where it is a regular expression. */
function regexPath(schema: Schema): Place {
  const path: FieldPath = [
    { member: 'spec' },
    { member: 'rules' },
    { item: true },
    { member: 'http' },
    { member: 'paths' },
    { item: true },
    { member: 'path' },
  ];
  const needs = { [`${PREFIX}use-regex`]: 'true' };
  return { name: `Ingress${pathText(path)} (regex)`, kind: 'Ingress', path, schema, otherwise: '/', needs };
}
