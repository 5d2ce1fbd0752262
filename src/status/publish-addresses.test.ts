import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../kube/kube-object.ts';
import type { KubeResource, ResourceScope } from '../kube/kube-resource.ts';
import type { ReflectorSink } from '../kube/reflector-sink.ts';
import { type AddressOrigin, AddressWatch } from './address-watch.ts';
import { orderedAddresses, type PublishedAddress } from './published-address.ts';
import { serviceAddresses } from './service-addresses.ts';

function object(name: string, fields: object, metadata: object = {}): KubeObject {
  return { metadata: { name, uid: name, resourceVersion: '1', ...metadata }, ...fields };
}

test('a Service’s addresses are those at which it is reached from outside', () => {
  const cases: readonly [object, readonly PublishedAddress[]][] = [
    [{ spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } }, []],
    [
      {
        spec: { type: 'LoadBalancer', externalIPs: ['198.51.100.1'] },
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb.example', ip: '' }] } },
      },
      [{ ip: '192.0.2.1' }, { hostname: 'lb.example' }, { ip: '198.51.100.1' }],
    ],
    [{ spec: { type: 'NodePort', clusterIP: '10.0.0.1' } }, [{ ip: '10.0.0.1' }]],
    [{ spec: { type: 'NodePort', clusterIP: '10.0.0.1', externalIPs: ['198.51.100.1'] } }, [{ ip: '198.51.100.1' }]],
    [{ spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] } }, [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }]],
    [{ spec: { clusterIP: 'None' } }, []],
    [{ spec: { type: 'ExternalName', externalName: 'lb.example' } }, [{ hostname: 'lb.example' }]],
    [{}, []],
  ];
  for (const [fields, expected] of cases) assert.deepEqual(serviceAddresses(object('weir', fields)), expected);
});

test('addresses are written each once, in one order, and not in any number', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ ip: `192.0.2.${index}` }));
  assert.deepEqual(orderedAddresses([{ ip: '192.0.2.2' }, { hostname: 'b' }, { ip: '192.0.2.2' }, { hostname: 'a' }]), [
    { hostname: 'a' },
    { hostname: 'b' },
    { ip: '192.0.2.2' },
  ]);
  assert.equal(orderedAddresses(many).length, 64);
});

class Watched {
  readonly told: (readonly PublishedAddress[])[] = [];
  readonly problems: (string | undefined)[] = [];
  readonly sinks = new Map<string, ReflectorSink>();
  readonly scopes = new Map<string, ResourceScope>();
  stopped = 0;

  constructor(origin: AddressOrigin) {
    const startWatch = (resource: KubeResource, scope: ResourceScope, sink: ReflectorSink) => {
      this.sinks.set(resource.plural, sink);
      this.scopes.set(resource.plural, scope);
      return { stop: () => void this.stopped++ };
    };
    const watch = new AddressWatch({
      origin,
      startWatch,
      onAddresses: (addresses) => this.told.push(addresses),
      onProblem: (subject, problem) => this.problems.push(problem && `${subject}: ${problem.message}`),
    });
    watch.start();
    this.stop = () => watch.stop();
  }

  readonly stop: () => void;

  sink(plural: string): ReflectorSink {
    const sink = this.sinks.get(plural);
    assert.ok(sink !== undefined, `${plural} is watched`);
    return sink;
  }

  put(plural: string, ...objects: readonly KubeObject[]): void {
    this.sink(plural).changed(objects.map((each) => ({ type: 'put', object: each })));
  }
}

test('fixed addresses are known at once', () => {
  const { told } = new Watched({ from: 'fixed', addresses: ['192.0.2.1', 'lb.example'] });
  assert.deepEqual(told, [[{ ip: '192.0.2.1' }, { hostname: 'lb.example' }]]);
});

test('a Service is followed by its name alone, as its addresses come and go', () => {
  const watched = new Watched({ from: 'service', namespace: 'weir', name: 'edge' });
  assert.deepEqual(watched.scopes.get('services'), { namespace: 'weir', fieldSelector: 'metadata.name=edge' });
  const pending = object('edge', { spec: { type: 'LoadBalancer' } });
  watched.put('services', pending);
  watched.sink('services').synced();
  watched.put('services', { ...pending, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } });
  watched.sink('services').changed([{ type: 'delete', object: pending }]);
  assert.deepEqual(watched.told, [[], [{ ip: '192.0.2.1' }], []]);
  watched.stop();
  assert.equal(watched.stopped, 1);
});

const pod = (name: string, nodeName: string, hostIP: string, ready = 'True', metadata: object = {}) =>
  object(name, { spec: { nodeName }, status: { hostIP, conditions: [{ type: 'Ready', status: ready }] } }, metadata);
const node = (name: string, external?: string) =>
  object(name, {
    status: {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.9' },
        ...(external === undefined ? [] : [{ type: 'ExternalIP', address: external }]),
      ],
    },
  });
const NODES: AddressOrigin = { from: 'nodes', namespace: 'weir', selector: 'app=weir', internal: false };

test('nodes are those of ready pods; their external addresses where they have one, else their internal ones', () => {
  const watched = new Watched(NODES);
  assert.deepEqual(watched.scopes.get('pods'), { namespace: 'weir', labelSelector: 'app=weir' });
  watched.put('pods', pod('a', 'n1', '10.0.0.1'), pod('b', 'n2', '10.0.0.2'), pod('c', 'n3', '10.0.0.3', 'False'));
  watched.put('pods', pod('d', 'n4', '10.0.0.4', 'True', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  watched.sink('pods').synced();
  assert.deepEqual(watched.told, [], 'nodes are not known yet');
  watched.put('nodes', node('n1', '203.0.113.1'), node('n2'), node('n3', '203.0.113.3'));
  watched.sink('nodes').synced();
  assert.deepEqual(watched.told, [[{ ip: '203.0.113.1' }, { ip: '10.0.0.2' }]]);
});

test('without the right to read nodes their internal addresses are published, and the missing right is told', () => {
  const watched = new Watched(NODES);
  watched.put('pods', pod('a', 'n1', '10.0.0.1'));
  watched.sink('pods').synced();
  const error = new Error('nodes is forbidden');
  watched.sink('nodes').state({ state: 'waiting', error, forbidden: true, retryIn: 1000 });
  assert.deepEqual(watched.told, [[{ ip: '10.0.0.1' }]]);
  assert.deepEqual(watched.problems, ['Nodes to publish the addresses of: nodes is forbidden']);
});

test('who wants internal addresses needs no right to nodes', () => {
  const watched = new Watched({ ...NODES, internal: true });
  watched.put('pods', pod('a', 'n1', '10.0.0.1'));
  watched.sink('pods').synced();
  assert.deepEqual([watched.told, [...watched.sinks.keys()]], [[[{ ip: '10.0.0.1' }]], ['pods']]);
});
