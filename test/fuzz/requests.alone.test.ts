import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { seedOf } from '../support/seed.ts';
import fc from 'fast-check';
import { handshake } from '../support/clients/tls-client.ts';
import { ingress } from '../support/manifests.ts';
import { Campaign } from './campaign.ts';
import { hostileFrames } from './hostile-frames.ts';
import { hostileRequests, REDIRECTED, SMUGGLED } from './hostile-requests.ts';
import { nginxPids } from './nginx-pids.ts';
import { randomRequest } from './random-requests.ts';
import { type RawAnswer, sendRaw } from './raw-client.ts';
import { sendFrames } from './raw-http2.ts';

const SEED = seedOf('FUZZ_SEED');
/** How many random requests are sent. */
const RANDOM = Number(process.env['FUZZ_REQUESTS'] ?? 1_500);
const SHRINKING = 120_000;

suite('hostile requests', () => {
  const undos: (() => void | Promise<void>)[] = [];
  let campaign: Campaign;
  let host: string;
  let pids: readonly number[];
  let sent = 0;

  before(async () => {
    campaign = await Campaign.start({ after: (undo) => undos.push(undo) });
    host = campaign.harmless[0]!.host;
    const redirect = ingress({
      name: 'redirected',
      host: REDIRECTED,
      paths: [{ service: 'harmless-0' }],
      annotations: { 'nginx.ingress.kubernetes.io/permanent-redirect': 'https://www.example.com/' },
    });
    campaign.weir.write('redirected.json', JSON.stringify(redirect));
    await campaign.run([]);
    pids = await nginxPids(campaign.weir.stateDirectory, 2);
  });

  after(async () => {
    for (const undo of undos) await undo();
  });

  /** Told apart by what stands in the target. */
  let mark = 1_000_000;
  const markedTarget = () => {
    mark += 1;
    return `/shop/.${mark}.`;
  };

  /** What came of the last exchange: nothing of weir's own making went wrong, and no endpoint saw more than it may. */
  function faultsOf(most: number, statuses: readonly number[] = []): readonly string[] {
    sent += 1;
    const reached = campaign.backend.marked(mark);
    return [
      ...(statuses.includes(500) ? ['is answered 500'] : []),
      ...(reached > most ? [`${reached} requests reach the endpoint instead of ${most} at most`] : []),
      ...(campaign.backend.smuggled(SMUGGLED) ? ['what was smuggled reaches the endpoint'] : []),
      ...campaign.logs.faults(),
    ];
  }

  test('HTTP/1.1, plain and over TLS: refused or served as one reader sees them, and no request hides another', async (t) => {
    const { weir, decoy } = campaign;
    const requests = () => hostileRequests(host, weir.controlSocket, decoy.port, markedTarget());
    const faults: string[] = [];
    const counts = new Map<number, number>();
    for (const tls of [undefined, { servername: host }]) {
      for (const index of requests().keys()) {
        const { name, pieces, requests: most, leaves, refused } = requests()[index]!;
        const { statuses } = await sendRaw({
          port: tls === undefined ? weir.httpPort : weir.httpsPort,
          pieces,
          ...(tls === undefined ? {} : { tls }),
          ...(leaves === undefined ? {} : { leaveAt: 'once' }),
        });
        for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
        const found = faultsOf(refused === true ? 0 : most, statuses);
        faults.push(...found.map((fault) => `${name}${tls === undefined ? '' : ' (TLS)'}: ${fault}`));
      }
    }
    t.diagnostic(`${requests().length} requests, plain and over TLS: ${shownCounts(counts)}`);
    assert.deepEqual(faults, []);
  });

  test('HTTP/2: what could not be said in HTTP/1.1 is not said to the endpoint', async (t) => {
    const { weir, decoy } = campaign;
    const exchanges = () => hostileFrames(host, weir.controlSocket, decoy.port, markedTarget());
    const faults: string[] = [];
    for (const index of exchanges().keys()) {
      const { name, frames, requests } = exchanges()[index]!;
      await sendFrames(weir.httpsPort, host, frames);
      faults.push(...faultsOf(requests).map((fault) => `${name}: ${fault}`));
    }
    t.diagnostic(`${exchanges().length} connections`);
    assert.deepEqual(faults, []);
  });

  test('random bytes that are nearly requests: no more reach the endpoint than are answered', async (t) => {
    const counts = new Map<number, number>();
    const property = fc.asyncProperty(randomRequest(host), async (random) => {
      const target = markedTarget();
      const last = `GET /shop HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const pieces = [...random, last].map((piece) => piece.replaceAll('/shop', target));
      const number = mark;
      // An answer in HTTP/0.9 has no head.
      const countOf = ({ statuses, bytes }: RawAnswer) =>
        Math.max(statuses.length, bytes.toString('latin1').split('{"at":').length - 1);
      const answer = await sendRaw({
        port: campaign.weir.httpPort,
        pieces,
        quiet: 30,
        enough: (soFar) => campaign.backend.marked(number) <= countOf(soFar),
      });
      sent += 1;
      const { statuses } = answer;
      for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
      const answered = countOf(answer);
      const reached = campaign.backend.marked(number);
      assert.ok(reached <= answered, `${reached} requests reach the endpoint, ${answered} are answered`);
      assert.ok(!statuses.includes(500), 'is answered 500');
      assert.ok(!campaign.backend.smuggled(SMUGGLED), 'what was smuggled reaches the endpoint');
      assert.deepEqual(campaign.logs.faults(), []);
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: RANDOM,
      interruptAfterTimeLimit: SHRINKING,
      markInterruptAsFailure: true,
    });
    t.diagnostic(`FUZZ_SEED=${SEED}: ${RANDOM} connections: ${shownCounts(counts)}`);
  });

  test('TLS: hostile names, versions and bytes cost no more than their own handshake', async (t) => {
    const names = [
      'a',
      '..',
      '*',
      'a b',
      '"',
      '$host',
      ']]',
      '__proto__',
      '127.0.0.1',
      'unix:/x',
      'a\x01b',
      'ä.example',
      `${'a'.repeat(250)}`,
    ];
    let refused = 0;
    for (const servername of names) {
      await handshake(campaign.weir.httpsPort, { servername }).catch(() => (refused += 1));
    }
    const { certificate } = await handshake(campaign.weir.httpsPort, { servername: host });
    assert.notEqual(certificate.checkHost(host), undefined);
    const hello = Buffer.from('16030100', 'hex');
    const bytes = [
      Buffer.from(`GET /shop HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      Buffer.alloc(600, 0xff),
      Buffer.alloc(600),
      Buffer.concat([hello, Buffer.from([200]), Buffer.from([1, 0, 0, 196, 3, 1]), Buffer.alloc(194, 7)]),
      Buffer.from('802e0100020015000000100100800200800300800400800500800600400700c00000', 'hex'),
      Buffer.from('15030100020228', 'hex'),
    ];
    for (const piece of bytes) {
      await sendRaw({ port: campaign.weir.httpsPort, pieces: [piece], quiet: 40 });
      await sendRaw({ port: campaign.weir.httpsPort, pieces: [piece.subarray(0, 5)], leaveAt: 'once' });
    }
    sent += names.length + 2 * bytes.length;
    t.diagnostic(`${names.length} names (${refused} refused), ${bytes.length} handshakes that are none`);
    assert.deepEqual(campaign.logs.faults(), []);
  });

  test('after all of that the same workers serve, and nobody was where nobody may be', async (t) => {
    assert.deepEqual(await campaign.run([[], []]), []);
    assert.deepEqual(await nginxPids(campaign.weir.stateDirectory, 2), pids);
    assert.equal(campaign.decoy.connections(), 0);
    const levels = [...campaign.logs.levels].map(([level, count]) => `${count} × ${level}`);
    t.diagnostic(
      `${sent} hostile exchanges; error.log: ${levels.join(', ') || 'nothing'}; control socket: ${campaign.logs.controlRequests} requests of weir itself`,
    );
  });
});

function shownCounts(statuses: ReadonlyMap<number, number>): string {
  const sorted = [...statuses].sort(([a], [b]) => a - b);
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ');
}
