import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { generate } from 'selfsigned';
import { Redacted } from '../../../lib/redacted.ts';
import type { Backend, BackendTls } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import { sampleOrigin } from '../../testing/sample-model.ts';
import { tlsIdentityDirectives } from '../conf/tls-identity.ts';
import { TlsIdentities } from './tls-identities.ts';

const SYSTEM = '/etc/ssl/certs/ca-certificates.crt';
const NOTHING: BackendTls = { verify: false, sendServerName: false };

describe('the TLS identity of a backend', () => {
  let authority = '';
  let other = '';
  let one: Certificate;
  let two: Certificate;

  before(async () => {
    const make = (name: string) =>
      generate([{ name: 'commonName', value: name }], { keyType: 'ec', algorithm: 'sha256' });
    const [a, b] = await Promise.all([make('a'), make('b')]);
    [authority, other] = [a.cert, b.cert];
    one = certificateOf('one', a.cert, a.private);
    two = certificateOf('two', b.cert, b.private);
  });

  function certificateOf(id: string, chain: string, key: string): Certificate {
    const validity = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2040-01-01T00:00:00Z' };
    const privateKey = new Redacted(key);
    return { id, chain, privateKey, keyType: 'ec', names: [], ...validity, fingerprint: '', origin: sampleOrigin(id) };
  }

  const identities = new TlsIdentities(SYSTEM);
  const of = (tls: BackendTls | undefined, protocol: Backend['protocol'] = 'https', certificate?: Certificate) =>
    identities.of(
      { protocol, ...(tls === undefined ? {} : { tls }) },
      new Map(certificate === undefined ? [] : [['client', certificate]]),
    );
  const identity = (...args: Parameters<typeof of>) => {
    const answer = of(...args);
    if ('refused' in answer || answer.identity === undefined) assert.fail(JSON.stringify(answer));
    return answer.identity;
  };
  const refusal = (tls: BackendTls, certificate?: Certificate) => {
    const answer = of(tls, 'https', certificate);
    return 'refused' in answer ? answer.refused : undefined;
  };
  const verified = (more: Partial<BackendTls> = {}): BackendTls => ({
    verify: true,
    authorities: authority,
    serverName: 'web.test',
    sendServerName: true,
    ...more,
  });

  it('is the common one where nothing is asked for, or nothing that has an effect', () => {
    assert.deepEqual(of(undefined), {});
    assert.deepEqual(of(NOTHING), {});
    assert.deepEqual(of({ ...NOTHING, serverName: 'web.test', depth: 3, authorities: 'nothing' }), {});
    assert.deepEqual(of(verified(), 'http'), {});
  });

  it('differs by everything that it is made of, and by the content of its files', () => {
    const names = [
      identity(verified()),
      identity(verified(), 'grpcs'),
      identity(verified({ authorities: other })),
      identity(verified({ authorities: `${authority}${other}` })),
      identity(verified({ authorities: 'system' })),
      identity(verified({ serverName: 'other.test' })),
      identity(verified({ sendServerName: false })),
      identity(verified({ depth: 1 })),
      identity(verified({ protocols: ['TLSv1.3'] })),
      identity(verified({ ciphers: 'HIGH' })),
      identity(verified({ clientCertificate: 'client' }), 'https', one),
      identity(verified({ clientCertificate: 'client' }), 'https', two),
      identity({ ...NOTHING, serverName: 'web.test', sendServerName: true }),
      identity({ ...NOTHING, clientCertificate: 'client' }, 'https', one),
    ].map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[0-9a-f]{16}$/u);
  });

  it('is the same however its parts are written, and tells nothing of a private key', () => {
    const { name } = identity(verified({ protocols: ['TLSv1.3', 'TLSv1.2'] }));
    const written = `# comment\r\n${authority}\n${authority}`;
    const again = verified({ authorities: written, serverName: 'WEB.test', protocols: ['TLSv1.2', 'TLSv1.3'] });
    assert.equal(identity(again).name, name);
    const sec1 = createPrivateKey(one.privateKey.reveal()).export({ type: 'sec1', format: 'pem' }) as string;
    const tls = { ...NOTHING, clientCertificate: 'client' };
    const pkcs8 = identity(tls, 'https', one);
    assert.deepEqual(identity({ ...tls }, 'https', { ...one, privateKey: new Redacted(sec1) }), pkcs8);
    const answer = of(tls, 'https', one);
    assert.doesNotMatch(JSON.stringify(answer), /PRIVATE|BEGIN/u);
    assert.ok('files' in answer && answer.files?.[0]?.content.reveal().startsWith('-----BEGIN PRIVATE KEY-----'));
  });

  it('follows a certificate that is renewed under its name', () => {
    const tls = { ...NOTHING, clientCertificate: 'client' };
    assert.notEqual(identity(tls, 'https', one).name, identity(tls, 'https', two).name);
    assert.equal(refusal(tls), 'the client certificate client is not there');
    assert.equal(identity(tls, 'https', one).name, identity({ ...tls }, 'https', one).name);
  });

  it('verifies the one DNS name that nginx can, whichever way it is asked for', () => {
    const dns = [{ type: 'dns' as const, value: 'web.test' }];
    assert.equal(identity(verified({ subjectAltNames: dns })).name, identity(verified()).name);
    const { serverName: _, ...nameless } = verified({ sendServerName: false, subjectAltNames: dns });
    assert.equal(identity(nameless).serverName, 'web.test');
    const uri = { type: 'uri' as const, value: 'spiffe://cluster/web' };
    for (const subjectAltNames of [[uri], [...dns, uri], [], [{ type: 'dns' as const, value: 'other.test' }]]) {
      assert.match(refusal(verified({ subjectAltNames })) ?? '', /nginx can verify one DNS name/u);
    }
    assert.match(refusal({ ...NOTHING, subjectAltNames: dns }) ?? '', /nginx can verify one DNS name/u);
  });

  it('shares locations with others where many authorities must be loaded, whose names alone differ', () => {
    const system = verified({ authorities: 'system' });
    const { name, shared } = identity(system);
    const other = identity({ ...system, serverName: 'other.test' });
    assert.notEqual(other.name, name);
    assert.ok(shared !== undefined && other.shared === shared);
    for (const more of [{ sendServerName: false }, { depth: 1 }, { ciphers: 'HIGH' }, { protocols: ['TLSv1.3'] }]) {
      assert.notEqual(identity({ ...system, ...more }).shared, shared);
    }
    assert.notEqual(identity({ ...system }, 'grpcs').shared, shared);
    assert.notEqual(identity({ ...system, clientCertificate: 'client' }, 'https', one).shared, shared);
    assert.equal(identity(verified()).shared, undefined);
  });

  it('is refused, with why, where it would be less than was asked for', () => {
    const { authorities: _a, ...without } = verified();
    const { serverName: _n, ...nameless } = verified({ sendServerName: false });
    const refused: readonly (readonly [BackendTls, RegExp, Certificate?])[] = [
      [without, /no authorities are given/u],
      [nameless, /no name is given/u],
      [verified({ authorities: '' }), /bundle of authorities holds no PEM certificate/u],
      [verified({ serverName: '10.0.0.1' }), /"10\.0\.0\.1" is no DNS name/u],
      [verified({ serverName: '*.web.test' }), /is no DNS name/u],
      [verified({ protocols: ['TLSv1.2', 'TLS1'] }), /"TLS1" is no version of TLS/u],
      [verified({ ciphers: 'HIGH;' }), /no list of ciphers/u],
      [
        { ...NOTHING, clientCertificate: 'client' },
        /its private key can not be read/u,
        { ...one, privateKey: new Redacted('x') },
      ],
      [
        { ...NOTHING, clientCertificate: 'client' },
        /its private key is not that of its certificate/u,
        { ...one, privateKey: two.privateKey },
      ],
      [{ ...NOTHING, clientCertificate: 'client' }, /its certificate holds no PEM certificate/u, { ...one, chain: '' }],
    ];
    for (const [tls, why, certificate] of refused) assert.match(refusal(tls, certificate) ?? 'not refused', why);
    const homeless = new TlsIdentities(undefined).of(
      { protocol: 'https', tls: verified({ authorities: 'system' }) },
      new Map(),
    );
    assert.match('refused' in homeless ? homeless.refused : '', /authorities of this machine, which has none/u);
  });

  it('becomes directives of the module that speaks to the backend', () => {
    const tls = verified({ clientCertificate: 'client', depth: 2, protocols: ['TLSv1.2', 'TLSv1.3'], ciphers: 'HIGH' });
    for (const module of ['proxy', 'grpc'] as const) {
      const lines = tlsIdentityDirectives(identity(tls, 'https', one), module, '/run/weir').map(({ name, args }) =>
        [name, ...args.map((argument) => ('literal' in argument ? argument.literal : '$'))].join(' '),
      );
      const names = lines.map((line) => line.replace(/-[0-9a-f]{16}\.pem$/u, '-HASH.pem'));
      assert.deepEqual(names, [
        `${module}_ssl_session_reuse off`,
        `${module}_ssl_verify on`,
        `${module}_ssl_trusted_certificate /run/weir/identities/authorities-HASH.pem`,
        `${module}_ssl_verify_depth 2`,
        `${module}_ssl_name web.test`,
        `${module}_ssl_server_name on`,
        `${module}_ssl_certificate /run/weir/identities/client-HASH.pem`,
        `${module}_ssl_certificate_key /run/weir/identities/client-HASH.pem`,
        `${module}_ssl_protocols TLSv1.2 TLSv1.3`,
        `${module}_ssl_ciphers HIGH`,
      ]);
    }
    const system = tlsIdentityDirectives(identity(verified({ authorities: 'system' })), 'proxy', '/run/weir');
    assert.ok(JSON.stringify(system).includes(SYSTEM));
  });
});
