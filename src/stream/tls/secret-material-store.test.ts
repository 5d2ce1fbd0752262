import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient, KubeRequest } from '../../kube/kube-client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { AuthorityKeeper } from './authority-keeper.ts';
import { credentialsOf, decodeMaterial } from './material.ts';
import { SecretMaterialStore } from './secret-material-store.ts';

interface Stored {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** The Secrets of one namespace, with the rules of an API server about versions. */
class Secrets implements KubeClient {
  readonly server = 'https://api.example';
  readonly stored = new Map<string, Stored>();
  writes = 0;
  #version = 0;

  async request({ method, path, body }: KubeRequest): Promise<unknown> {
    await new Promise(setImmediate);
    const name = /^\/api\/v1\/namespaces\/weir\/secrets(?:\/(.*))?$/.exec(path)?.[1];
    if (method === 'GET') {
      const secret = this.stored.get(name ?? '');
      if (secret === undefined) throw new KubeError('not there', { status: 404, reason: 'NotFound' });
      return secret;
    }
    const wanted = body as Stored;
    const before = this.stored.get(wanted.metadata.name);
    const fits =
      method === 'POST' ? before === undefined : before?.metadata.resourceVersion === wanted.metadata.resourceVersion;
    if (!fits) throw new KubeError('somebody was first', { status: 409, reason: 'Conflict' });
    this.writes++;
    const metadata = { ...wanted.metadata, resourceVersion: String(++this.#version) };
    this.stored.set(metadata.name, { ...wanted, metadata });
    return undefined;
  }

  stream(): Promise<AsyncIterable<unknown>> {
    throw new Error('nothing is watched');
  }

  async close(): Promise<void> {}
}

const text = (secret: Stored | undefined, file: string) => Buffer.from(secret?.data[file] ?? '', 'base64').toString();

async function open(client: Secrets, now?: () => Date): Promise<AuthorityKeeper> {
  const store = new SecretMaterialStore(client, { namespace: 'weir', name: 'model' });
  const keeper = await AuthorityKeeper.open({ store, ...(now === undefined ? {} : { now }) });
  keeper.close();
  return keeper;
}

test('controllers that begin at once share one Secret, and proxies get one without the authority’s key', async () => {
  const client = new Secrets();
  const keepers = await Promise.all([open(client), open(client), open(client)]);
  assert.equal(new Set(keepers.map((keeper) => keeper.current().authorities)).size, 1);
  const material = decodeMaterial(text(client.stored.get('model'), 'authority.json'));
  assert.ok(material !== undefined);
  const proxy = client.stored.get('model-proxy');
  assert.deepEqual(
    [proxy?.type, Object.keys(proxy?.data ?? {}).sort()],
    ['kubernetes.io/tls', ['ca.crt', 'tls.crt', 'tls.key']],
  );
  assert.equal(text(proxy, 'tls.crt'), credentialsOf(material, 'proxy').certificate);
  const [authority] = material.authorities;
  for (const file of Object.keys(proxy!.data)) assert.notEqual(text(proxy, file), authority!.key.reveal());
});

test('while nothing is due nothing is written, and what is due is written once', async () => {
  const client = new Secrets();
  let now = new Date();
  const keeper = await open(client, () => now);
  const { writes } = client;
  await keeper.look();
  await keeper.look();
  assert.equal(client.writes, writes);
  const before = keeper.current().certificate;
  let told = 0;
  keeper.onChange(() => told++);
  now = new Date(now.getTime() + 16 * 86_400_000);
  await keeper.look();
  await keeper.look();
  assert.deepEqual([client.writes, told], [writes + 2, 1]);
  assert.notEqual(keeper.current().certificate, before);
});

test('while the API server is away the credentials stay as they are, and it is told', async () => {
  const client = new Secrets();
  const problems: (string | undefined)[] = [];
  const store = new SecretMaterialStore(client, { namespace: 'weir', name: 'model' });
  const keeper = await AuthorityKeeper.open({ store, onProblem: (problem) => problems.push(problem?.message) });
  keeper.close();
  const before = keeper.current();
  const { request } = client;
  client.request = async () => {
    throw new KubeError('away');
  };
  await keeper.look();
  await keeper.look();
  client.request = request;
  await keeper.look();
  assert.deepEqual(problems, ['away', undefined]);
  assert.deepEqual(keeper.current(), before);
});
