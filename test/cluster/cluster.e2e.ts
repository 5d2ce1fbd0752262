import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinCluster } from '../support/cluster.ts';
import { eventually } from '../support/scope.ts';
import { IMAGES } from './images/test-images.ts';

interface Answer {
  readonly backend: string;
  readonly node: string;
}

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName: string };
    readonly status: { readonly podIP: string };
  }[];
}

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

const labels = { app: 'echo' };

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'echo' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: labels },
          },
        ],
        containers: [
          {
            name: 'echo',
            image: IMAGES.echo,
            env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'echo' },
  spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
};

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5_000) });
  assert.equal(response.status, 200);
  return (await response.json()) as Answer;
}

test('pods answer by their own addresses, by ClusterIP, by the port of every node and by name', async (t) => {
  const cluster = await joinCluster();
  const namespace = await cluster.namespace(t, 'echo');
  await cluster.apply([DEPLOYMENT, SERVICE], namespace);
  await cluster.rolledOut('deployment/echo', namespace);
  const nodes = await cluster.nodes();
  const pods = (await cluster.get<Pods>('pods', namespace)).items;
  const service = await cluster.get<Service>('service/echo', namespace);
  assert.deepEqual(
    new Set(pods.map(({ spec }) => spec.nodeName)),
    new Set(nodes.slice(0, 2).map(({ name }) => name)),
    'a pod on each of two nodes',
  );

  for (const { metadata, spec, status } of pods) {
    const answer = await ask(`http://${status.podIP}:8080/`);
    assert.deepEqual([answer.backend, answer.node], [metadata.name, spec.nodeName]);
  }
  const everyPod = async (url: string) => {
    const seen = new Set<string>();
    await eventually(`every pod to answer ${url}`, async () => seen.add((await ask(url)).backend).size === pods.length);
  };
  await everyPod(`http://${service.spec.clusterIP}/`);
  for (const { address } of nodes) await everyPod(`http://${address}:${service.spec.ports[0]?.nodePort}/`);

  for (const { metadata } of pods) {
    const seen = new Set<string>();
    await eventually(`every pod, itself too, to answer ${metadata.name} by name`, async () => {
      const url = `http://echo.${namespace}.svc.cluster.local/`;
      const said = await cluster.exec(metadata.name, namespace, ['/echo', 'get', url]);
      return seen.add((JSON.parse(said) as Answer).backend).size === pods.length;
    });
  }
});

test('nothing in the cluster reaches what is outside', async () => {
  const cluster = await joinCluster();
  const faults = cluster.faults();
  for (const where of ['control-plane', ...(await cluster.nodes()).map(({ name }) => name)]) {
    // An address of a documentation range (RFC 5737): nobody's, but a way out would take the packet.
    const asked = await faults.run(where, ['curl', '-sS', '--max-time', '5', 'http://203.0.113.1/']);
    assert.equal(asked.code, 7, `${where}: curl says ${asked.err}`);
  }
});

test('an API server that was killed comes back with all it had', async (t) => {
  const cluster = await joinCluster();
  const namespace = await cluster.namespace(t, 'kept');
  const start = await cluster.faults().stop(t, 'kube-apiserver');
  assert.match((await cluster.tryKubectl(['get', 'namespaces'])).err, /refused/);
  start();
  await eventually(
    'the API server',
    async () => (await cluster.tryKubectl(['get', `namespace/${namespace}`])).code === 0,
    { withinMs: 60_000, everyMs: 250 },
  );
});
