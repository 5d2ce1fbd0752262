import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { decodeModel, encodeModel, type Json } from '../../src/model/codec.ts';
import { diffModels, isEmptyDelta } from '../../src/model/diff.ts';
import type { Model } from '../../src/model/model.ts';
import { validateModel } from '../../src/model/validate.ts';
import { problemText } from '../../src/model/validation/problem.ts';
import { ANNOTATION_FAMILIES, GATEWAY_API_FEATURES } from './model-features.ts';

const DIRECTORY = join(import.meta.dirname, 'model');
/** Of ingress-nginx's last release: 136 annotations and 2 aliases. */
const ANNOTATIONS = 138;

/** `HTTPRoute303RedirectStatusCode` → `http-route-303-redirect-status-code` */
function fileName(feature: string): string {
  const words = feature
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/([a-z])(\d{3})/g, '$1-$2')
    .replace(/(\d)([A-Z][a-z])/g, '$1-$2');
  return `${words.toLowerCase()}.yaml`;
}

function files(folder: string): string[] {
  return readdirSync(join(DIRECTORY, folder)).sort();
}

function readModel(folder: string, file: string): { readonly text: string; readonly model: Model } {
  const text = readFileSync(join(DIRECTORY, folder, file), 'utf8');
  return { text, model: decodeModel(load(text)) };
}

/** The comment at the file's start, on one line. */
function comment(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return lines
    .slice(0, end)
    .map((line) => line.slice(2))
    .join(' ');
}

/** `hosts[].routes[].filters[].type=cors`, one for each leaf. */
function leaves(value: Json, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => leaves(item, `${at}[]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leaves(item, at === '' ? key : `${at}.${key}`));
  }
  return [`${at}=${value}`];
}

function checkFile(folder: string, feature: string, fields: readonly string[]): void {
  const { text, model } = readModel(folder, fileName(feature));
  assert.match(
    text,
    new RegExp(`^# ${feature.replace(/^TLSRoute(Passthrough|Terminate)$/, 'TLSRoute, $1')}: `),
    'says what it expresses',
  );
  assert.deepEqual(validateModel(model).map(problemText), []);

  const again = decodeModel(JSON.parse(JSON.stringify(encodeModel(model, { secrets: 'reveal' }))));
  assert.ok(isEmptyDelta(diffModels(model, again)), 'is the same after a round trip');
  assert.equal(
    JSON.stringify(encodeModel(again)),
    JSON.stringify(encodeModel(model)),
    'prints the same after a round trip',
  );

  const found = leaves(encodeModel(model));
  for (const field of fields) {
    const there = found.some((leaf) => leaf === field || (/[=.]$/.test(field) && leaf.startsWith(field)));
    assert.ok(there, `${fileName(feature)} holds ${field}`);
  }
}

test('there is one golden model for each Gateway API feature, and no other', () => {
  assert.deepEqual(files('gateway-api'), Object.keys(GATEWAY_API_FEATURES).map(fileName).sort());
  const http = Object.keys(GATEWAY_API_FEATURES).filter((name) => !/^(GRPC|TLS|TCP|UDP)Route/.test(name));
  assert.equal(http.length, 38);
});

test('there is one golden model for each annotation family, and no other', () => {
  assert.deepEqual(files('ingress-nginx'), Object.keys(ANNOTATION_FAMILIES).map(fileName).sort());
  const keys = Object.values(ANNOTATION_FAMILIES).flatMap((family) => Object.keys(family));
  assert.equal(new Set(keys).size, ANNOTATIONS);
  assert.equal(keys.length, ANNOTATIONS);
});

for (const [feature, fields] of Object.entries(GATEWAY_API_FEATURES)) {
  test(`the model expresses Gateway API's ${feature}`, () => checkFile('gateway-api', feature, fields));
}

for (const [family, annotations] of Object.entries(ANNOTATION_FAMILIES)) {
  test(`the model expresses the annotations of ${family}`, () => {
    checkFile('ingress-nginx', family, Object.values(annotations).flat());
    const words = comment(readModel('ingress-nginx', fileName(family)).text).split(/[^a-z0-9-]+/);
    for (const key of Object.keys(annotations)) assert.ok(words.includes(key), `its comment names ${key}`);
  });
}

test('no two golden models are the same', () => {
  const texts = ['gateway-api', 'ingress-nginx'].flatMap((folder) =>
    files(folder).map((file) => JSON.stringify(encodeModel(readModel(folder, file).model))),
  );
  assert.equal(new Set(texts).size, texts.length);
});
