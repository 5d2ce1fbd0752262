import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '../config/load-settings.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { ConfigMapFollower } from './config-map-follower.ts';

function followed(flags: Readonly<Record<string, unknown>> = {}) {
  const sources = { flags, environment: {}, uid: 0 };
  const applied: [string, unknown][] = [];
  let findings: readonly Finding[] = [];
  const follower = new ConfigMapFollower({
    name: 'weir/config',
    started: loadSettings(sources, 'run'),
    reread: (fallback) => loadSettings({ ...sources, fallback }, 'run'),
    apply: (...change) => void applied.push(change),
    report: (reported) => void (findings = reported),
  });
  const metadata = { name: 'config', namespace: 'weir', uid: '1', resourceVersion: '1' };
  return {
    follower,
    applied,
    put: (data: Readonly<Record<string, string>>) => follower.changed([{ type: 'put', object: { metadata, data } }]),
    remove: () => follower.changed([{ type: 'delete', object: { metadata } }]),
    told: () => findings.map(({ code, field, message }) => `${code} ${field} ${message}`),
  };
}

test('a live setting takes effect when the ConfigMap changes, and goes back when it is gone from it', () => {
  const { put, applied, told } = followed();
  put({ 'log-level': 'debug' });
  put({ 'log-level': 'debug' });
  put({});
  assert.deepEqual(applied, [
    ['log-level', 'debug'],
    ['log-level', 'info'],
  ]);
  assert.deepEqual(told(), []);
});

test('a flag comes before the ConfigMap', () => {
  const { put, applied, told } = followed({ 'log-level': 'warn', 'http-port': '8080' });
  put({ 'log-level': 'debug', 'http-port': '8081' });
  assert.deepEqual(applied, []);
  assert.deepEqual(told(), []);
});

test('a setting that needs a restart is told, with what is in force', () => {
  const { put, applied, told } = followed();
  put({ 'http-port': '8080' });
  assert.deepEqual(applied, []);
  assert.deepEqual(told(), ['WEIR0025 data.http-port http-port is 8080 in the ConfigMap and 80 in force.']);
  put({ 'http-port': '80' });
  assert.deepEqual(told(), []);
});

test('a bad key is told and keeps its last good value, and the others count', () => {
  const { put, applied, told } = followed();
  put({ 'log-level': 'debug' });
  put({ 'log-level': 'loud', 'htp-port': '80', kubeconfig: 'x' });
  assert.deepEqual(applied, [['log-level', 'debug']]);
  assert.match(told()[0]!, /^WEIR0024 data\.log-level "loud" is not one of trace, .* The last good value stays\.$/);
  assert.match(told()[1]!, /^WEIR0024 data\.htp-port unknown setting/);
  assert.match(told()[2]!, /^WEIR0024 data\.kubeconfig kubeconfig can not be set in a ConfigMap/);
});

test('settings that exclude each other are told and change nothing', () => {
  const { put, applied, told } = followed();
  put({ 'http-port': '443', 'log-level': 'debug' });
  assert.deepEqual(applied, []);
  assert.match(told().join(), /WEIR0024 data settings http-port and https-port: both are 443/);
});

test('a ConfigMap that is missing, or goes, is told and takes nothing away', () => {
  const { follower, put, remove, applied, told } = followed();
  follower.synced();
  assert.match(told().join(), /WEIR0026 {2}There is no ConfigMap weir\/config/);
  put({ 'log-level': 'debug' });
  assert.deepEqual(told(), []);
  remove();
  assert.match(told().join(), /WEIR0026/);
  assert.deepEqual(applied, [['log-level', 'debug']]);
});
