import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { generate } from 'selfsigned';
import type { ClientCertificatePolicy } from '../../../model/client-certificate.ts';
import { sampleHost } from '../../testing/sample-model.ts';
import { renderHostTls } from './host-tls.ts';
import { renderServerName, scopeServerName } from './server-name-record.ts';

const list = (content: string) => `-----BEGIN X509 CRL-----\n${content}\n-----END X509 CRL-----\n`;

describe('TLS settings of a host as records', () => {
  let authorities: string;
  let others: string;

  before(async () => {
    const make = async (value: string) => (await generate([{ name: 'commonName', value }], { keyType: 'ec' })).cert;
    [authorities, others] = await Promise.all([make('one'), make('other')]);
  });

  const hostWith = (more: Partial<ClientCertificatePolicy> = {}, certificates: string[] = []) => ({
    ...sampleHost('a.example', []),
    tls: { certificates, clientCertificate: { mode: 'require' as const, authorities, depth: 1, ...more } },
  });
  const render = (more: Partial<ClientCertificatePolicy> = {}) => renderHostTls(hostWith(more), new Map());

  test('an SNI name and its host have one policy, and name the same authorities', () => {
    const { record, authority, closed } = render();
    const name = renderServerName(hostWith());
    assert.equal(closed, undefined);
    assert.equal(record.policy, name?.policy);
    assert.deepEqual(
      [record.clientCertificate?.authority, name?.verify],
      [authority?.id, { authority: authority?.id, depth: 1 }],
    );
  });

  test('the policy follows what is verified, and not what requests need besides', () => {
    const { record } = render();
    for (const more of [{ authorities: others }, { authorities: authorities + others }, { depth: 2 }]) {
      assert.notEqual(render(more).record.policy, record.policy);
    }
    assert.notEqual(render({ revocations: list('MAA=') }).record.policy, record.policy);
    for (const more of [{ mode: 'optional' as const }, { subjectPattern: 'CN=a' }, { passToBackend: true }]) {
      assert.equal(render(more).record.policy, record.policy);
    }
    assert.equal(render({ authorities: `text around\n${authorities}\n` }).record.policy, record.policy);
  });

  test('authorities that can not be read close the host, and its SNI name asks nobody', () => {
    for (const more of [
      { authorities: '' },
      { authorities: authorities.replace(/M.{30}/u, '') },
      { revocations: 'x' },
      { revocations: list('bm8gbGlzdA==') },
      { revocations: list('MIIB') },
      { revocations: list('MAA=') + list('MAA=').slice(0, 30) },
    ]) {
      const { closed, record, findings, authority } = render(more);
      assert.notEqual(closed, undefined);
      assert.deepEqual([record, authority], [{}, undefined]);
      assert.deepEqual(
        findings.map(({ code }) => code),
        ['WEIR0415'],
      );
      assert.equal(renderServerName(hostWith(more)), undefined);
    }
  });

  test('a subject pattern is judged by the engine, and closes the host where it does not compile', () => {
    const { patterns, closed } = render({ subjectPattern: 'CN=(' });
    assert.deepEqual(patterns, [{ pattern: 'CN=(', ignoreCase: false }]);
    assert.equal(closed, undefined);
    const judged = renderHostTls(hostWith({ subjectPattern: 'CN=(' }), new Map([['s:CN=(', 'missing )']]));
    assert.notEqual(judged.closed, undefined);
  });

  test('the host of all names shows the certificates of its listeners if it has none', () => {
    const name = scopeServerName(hostWith(), { certificates: ['default'] });
    assert.deepEqual([name?.certificates, name?.policy === undefined], [['default'], false]);
    assert.deepEqual(scopeServerName(hostWith({}, ['own']), { certificates: ['default'] })?.certificates, ['own']);
    assert.deepEqual(scopeServerName(undefined, { certificates: ['default'] }), { certificates: ['default'] });
  });
});
