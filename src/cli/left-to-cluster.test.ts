import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finding } from '../diagnostics/catalogue.ts';
import { INGRESS_FINDINGS } from '../diagnostics/ingress.ts';
import { TLS_FINDINGS } from '../diagnostics/tls.ts';
import { leaveToCluster } from './left-to-cluster.ts';

const ORIGIN = { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec' };
const FINDINGS = [INGRESS_FINDINGS.noEndpoints, TLS_FINDINGS.secretNotFound, INGRESS_FINDINGS.serviceNotFound].map(
  (entry) => finding(entry, ORIGIN, 'message'),
);
const codes = (...kinds: string[]) => leaveToCluster(FINDINGS, new Set(kinds)).map(({ code }) => code);

test('what a cluster makes is missed only where the manifests hold some of its kind', () => {
  assert.deepEqual(codes('Ingress'), ['WEIR0103', 'WEIR0015']);
  assert.deepEqual(codes('EndpointSlice'), ['WEIR0105', 'WEIR0103', 'WEIR0015']);
  assert.deepEqual(codes('Endpoints'), ['WEIR0105', 'WEIR0103', 'WEIR0015']);
  assert.deepEqual(codes('Secret'), ['WEIR0300', 'WEIR0103', 'WEIR0015']);
  assert.deepEqual(codes('Secret', 'EndpointSlice'), ['WEIR0105', 'WEIR0300', 'WEIR0103']);
});

test('a Secret is left to the cluster whatever names it, but not one that can never be used', () => {
  const made = [TLS_FINDINGS.backendSecretNotFound, TLS_FINDINGS.clientSecretNotFound];
  const wrong = [TLS_FINDINGS.backendSecret, TLS_FINDINGS.clientAuthorities];
  const findings = [...made, ...wrong].map((entry) => finding(entry, ORIGIN, 'message'));
  const left = leaveToCluster(findings, new Set(['Ingress']));
  assert.deepEqual(
    left.map(({ code }) => code),
    ['WEIR0320', 'WEIR0330', 'WEIR0015'],
  );
  assert.match(left.at(-1)!.message, /^There is no Secret among .* so WEIR0322 and WEIR0332 \(2\) is left out\.$/);
  assert.deepEqual(leaveToCluster(findings, new Set(['Secret'])), findings);
});

test('nothing is said where nothing was left out', () => {
  assert.deepEqual(leaveToCluster([], new Set()), []);
});
