import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { planCluster } from './cluster-plan.ts';
import { planFromEnvironment } from './cluster-settings.ts';
import { overlaps } from './parts/network.ts';
import { VERSIONS } from './versions.ts';

test('clusters of different numbers share no address, name or folder', () => {
  const plans = Array.from({ length: 10 }, (_, number) => planCluster(number, 9, '/state'));
  for (const one of plans) {
    for (const other of plans) {
      if (one === other) continue;
      for (const range of ['nodeRange', 'podRange', 'serviceRange'] as const) {
        for (const against of ['nodeRange', 'podRange', 'serviceRange'] as const) {
          assert.equal(overlaps(one[range], other[against]), false, `${one[range]} and ${other[against]}`);
        }
      }
      assert.notEqual(one.directory, other.directory);
      assert.notEqual(one.cgroup, other.cgroup);
      assert.notEqual(one.machine.interface, other.machine.interface);
    }
  }
});

test('the nodes of a cluster have addresses, pod ranges, folders and control groups of their own', () => {
  const { nodes, podRange, nodeRange } = planCluster(0, 9, '/state');
  for (const key of ['name', 'address', 'podRange', 'directory', 'cgroup'] as const) {
    assert.equal(new Set(nodes.map((node) => node[key])).size, 9, key);
  }
  for (const node of nodes) {
    assert.equal(overlaps(node.podRange, podRange), true);
    assert.equal(overlaps(node.address, nodeRange), true);
  }
});

test('an interface name is no longer than Linux takes', () => {
  assert.ok(planCluster(9, 1, '/state').machine.interface.length <= 15);
});

test('a number or a count of nodes that is out of range is refused', () => {
  for (const [number, nodes] of [
    [-1, 1],
    [10, 1],
    [0, 0],
    [0, 10],
    [0.5, 1],
  ] as const) {
    assert.throws(() => planCluster(number, nodes, '/state'), RangeError, `${number} ${nodes}`);
  }
  assert.throws(() => planFromEnvironment({ NODES: 'two' }), /NODES=two: a digit is wanted/);
  assert.throws(() => planFromEnvironment({ CLUSTER: '12' }), /CLUSTER=12/);
});

test('NODES and CLUSTER choose the plan, without them it is the first cluster with two nodes', () => {
  const plain = planFromEnvironment({});
  assert.deepEqual([plain.number, plain.nodes.length], [0, 2]);
  const chosen = planFromEnvironment({ NODES: '1', CLUSTER: '3' });
  assert.deepEqual([chosen.number, chosen.nodes.length], [3, 1]);
});

test('ranges overlap when one holds the other, and a default route overlaps nothing', () => {
  assert.equal(overlaps('10.0.0.0/8', '10.96.0.0/16'), true);
  assert.equal(overlaps('10.96.7.0/24', '10.96.0.0/16'), true);
  assert.equal(overlaps('10.96.0.1', '10.96.0.0/16'), true);
  assert.equal(overlaps('10.97.0.0/16', '10.96.0.0/16'), false);
  assert.equal(overlaps('192.168.0.0/16', '10.96.0.0/16'), false);
  assert.equal(overlaps('default', '10.96.0.0/16'), false);
  assert.equal(overlaps('0.0.0.0/0', '10.96.0.0/16'), false);
});

test('the modules that are built require the versions that are told', () => {
  const requires = (module: string, line: string) => {
    const text = readFileSync(join(import.meta.dirname, 'go', module, 'go.mod'), 'utf8');
    assert.ok(text.includes(line), `go/${module}/go.mod does not say ${line}`);
  };
  requires('kubernetes', `k8s.io/kubernetes v${VERSIONS.kubernetes}`);
  requires('kubernetes', `k8s.io/api => k8s.io/api v0${VERSIONS.kubernetes.slice(1)}`);
  requires('etcd', `go.etcd.io/etcd/server/v3 v${VERSIONS.etcd}`);
  requires('helm', `helm.sh/helm/v4 v${VERSIONS.helm}`);
  requires('coredns', `github.com/coredns/coredns v${VERSIONS.coredns}`);
});
