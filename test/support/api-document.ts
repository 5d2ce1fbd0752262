import Schema from 'typebox/schema';
import type { Reply } from './clients/http-client.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** What /api/v1/openapi.json says. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly summary?: string; readonly responses: Readonly<Record<string, Answer>> } }
    >
  >;
}

/** Schema that the document has for an answer, with no property allowed that it doesn't name. */
export function answerSchema(document: ApiDocument, path: string, status: number, mediaType: string): JsonSchema {
  const responses = document.paths[path]?.get.responses ?? {};
  const answer = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
  const schema = answer?.content?.[mediaType]?.schema;
  if (schema === undefined) throw new Error(`the document has no ${status} of ${path} as ${mediaType}`);
  return closed(schema);
}

/** Where the reply isn't what the document says. */
export function deviations(document: ApiDocument, path: string, reply: Reply): readonly string[] {
  const mediaType = (reply.headers['content-type'] ?? '').split(';')[0] ?? '';
  const schema = answerSchema(document, path, reply.status, mediaType);
  return schemaErrors(schema, mediaType === 'application/json' ? reply.json() : reply.body);
}

export function schemaErrors(schema: JsonSchema, value: unknown): readonly string[] {
  const [, errors] = Schema.Errors(schema, value);
  return errors.map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Arrays and objects all the way down; an object that lists its properties may have no others. */
function closed<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(closed) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  const listed = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined;
  return (listed ? { ...copy, additionalProperties: false } : copy) as Node;
}
