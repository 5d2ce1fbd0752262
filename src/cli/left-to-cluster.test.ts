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

test('nothing is said where nothing was left out', () => {
  assert.deepEqual(leaveToCluster([], new Set()), []);
});
