import { adminOpenApi } from '../../src/admin/open-api.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# Admin API

<!-- Written by tools/generate-reference.ts from the routes in src/admin/. Don’t edit. -->

HTTP on the admin address (\`127.0.0.1:9180\` unless \`admin-address\` says otherwise). \`/api/v1/openapi.json\` is the same as an OpenAPI 3.1 document.

- \`/healthz\`, \`/readyz\` and \`/metrics\` answer everybody.
- \`/api/\` answers on loopback only, and only to requests whose Host is an address, \`localhost\` or the host of \`admin-address\`, so that a page in a browser on this
  machine can’t ask by a name that it points here.
- With \`admin-token-file\` set, \`/api/\` answers whoever sends \`Authorization: Bearer TOKEN\`, from wherever, and nobody else.
- Lists come in pages: \`limit\` (1 to 10,000) and \`offset\`.
- Every error is \`{"code": "…", "message": "…"}\`.
- Private keys and passwords are in no answer.`;

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

/** docs/reference/admin-api.md */
export async function adminApiPage(): Promise<string> {
  const { paths } = (await adminOpenApi()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => section(method.toUpperCase(), path, operation)),
  );
  return `${[INTRODUCTION, ...sections, finding(paths)].join('\n\n')}\n`;
}

function section(
  method: string,
  path: string,
  { summary = '', description, parameters = [], responses }: Operation,
): string {
  const answer = responses[200]?.content?.['application/json']?.schema;
  const query = parameters.map(({ name, required, description: text = '', schema }) => [
    `\`${name}\``,
    kind(schema),
    `${text}${schema.default === undefined ? '' : ` Default: \`${String(schema.default)}\`.`}${required === true && schema.default === undefined ? ' Required.' : ''}`,
  ]);
  const fields = answer?.properties === undefined ? [] : rows(answer);
  return [
    `## \`${method} ${path}\``,
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    ...(query.length === 0 ? [] : [markdownTable(['Parameter', 'Value', 'Meaning'], query)]),
    ...(fields.length === 0 ? [] : ['Answer:', markdownTable(['Field', 'Value', 'Meaning'], fields)]),
    ...eventTables(responses[200]?.content?.['text/event-stream']?.schema),
  ].join('\n\n');
}

/** Data of each kind of event; those of `status` stand at their own path. */
function eventTables(stream: Schema | undefined): string[] {
  return (stream?.anyOf ?? []).flatMap(({ properties }) => {
    const name = kind(properties?.event ?? {});
    const data = properties?.data;
    if (data === undefined || name === '`status`') return [];
    return [`Data of ${name}:`, markdownTable(['Field', 'Value', 'Meaning'], rows(data))];
  });
}

function finding(paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>): string {
  const page = paths['/api/v1/diagnostics']?.['get']?.responses[200]?.content?.['application/json']?.schema;
  const item = page?.properties?.items?.items;
  if (item === undefined) throw new Error('the diagnostics have lost their schema');
  return `## Finding\n\nThe same in \`weir check -o json\` and \`/api/v1/diagnostics\`.\n\n${markdownTable(['Field', 'Value', 'Meaning'], rows(item))}`;
}

/** The fields of an object and, two levels down, of what is in it. */
function rows(schema: Schema, prefix = '', depth = 0): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const optional = schema.required?.includes(name) === true ? '' : ', optional';
    const row = [`\`${prefix}${name}\``, `${kind(field)}${optional}`, field.description ?? ''];
    if (depth >= 2) return [row];
    const inner =
      field.items === undefined
        ? rows(field, `${prefix}${name}.`, depth + 1)
        : rows(field.items, `${prefix}${name}[].`, depth + 1);
    return [row, ...inner];
  });
}

function kind({ type, enum: values, const: value, anyOf, items }: Schema): string {
  if (values !== undefined) return values.map((each) => `\`${each}\``).join(', ');
  if (value !== undefined) return `\`${String(value)}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(kind))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${kind(items)}`;
  return type ?? 'any';
}
