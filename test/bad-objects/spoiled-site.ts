import assert from 'node:assert/strict';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { handshake } from '../support/clients/tls-client.ts';
import type { Meanwhile } from './faults.ts';
import type { Site } from './site.ts';
import { type Front, Visitor } from './visitor.ts';

/** The spoiled site answers as it should: with a status, or (with TLS) by which certificate. */
export async function assertMeanwhile(front: Front, site: Site, expected: Meanwhile, path = '/'): Promise<void> {
  if (expected === 'default-certificate') {
    const { certificate } = await handshake(front.httpsPort, { servername: site.host });
    assert.equal(certificate.checkHost(site.host), undefined, `${site.host} shows a certificate of its own`);
    const connection = await HttpConnection.open(front.httpsPort, { tls: { host: site.host } });
    const reply = await connection.request(site.host);
    connection.close();
    assert.deepEqual([reply.status, reply.body], [200, site.name]);
    return;
  }
  const visitor = new Visitor(front);
  const { status, body } = await visitor.ask(site, path);
  visitor.close();
  assert.equal(status, expected, `${site.host} answers ${status}: ${body.slice(0, 200)}`);
  assert.equal(body === site.name, expected === 200, `${site.host}: ${body.slice(0, 200)}`);
}
