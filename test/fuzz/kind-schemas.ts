import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RESOURCE_KINDS, type ResourceKind } from '../../src/snapshot/resource.ts';

/** The part of JSON Schema that the schemas of kinds use. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
}

const FOLDER = join(import.meta.dirname, '../../src/snapshot/kinds');

/** Of every kind that weir reads the fields that it looks at; a kind that is only known by name has none. */
export async function kindSchemas(): Promise<ReadonlyMap<ResourceKind, Schema>> {
  const schemas = new Map<ResourceKind, Schema>(kinds().map((kind) => [kind, {}]));
  for (const file of readdirSync(FOLDER).filter((name) => !name.endsWith('.test.ts'))) {
    const exported = (await import(join(FOLDER, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      const kind = kinds().find((candidate) => constantOf(candidate) === name);
      if (kind !== undefined && isDefinition(value)) schemas.set(kind, value.schema);
    }
  }
  return schemas;
}

function kinds(): readonly ResourceKind[] {
  return Object.keys(RESOURCE_KINDS) as ResourceKind[];
}

/** `EndpointSlice` → `ENDPOINT_SLICE` */
function constantOf(kind: string): string {
  return kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function isDefinition(value: unknown): value is { readonly schema: Schema } {
  return typeof value === 'object' && value !== null && 'schema' in value && 'keep' in value;
}
