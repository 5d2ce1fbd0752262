import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Redacted } from '../../lib/redacted.ts';
import { type Credentials, CONTROLLER_NAME, PROXY_NAME } from './credentials.ts';
import { type CertificateAndKey, issueCertificate, makeAuthority, type Validity } from './issue-certificate.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Authorities live a year, what they sign a month; each is replaced when half of that is over. */
const AUTHORITY_LIFE = 365 * DAY;
const LEAF_LIFE = 30 * DAY;
/** A new authority signs nothing before everybody has had this long to learn of it. */
const ACQUAINTANCE = 2 * DAY;
/** Clocks differ. */
const SKEW = HOUR;

/** All that the controllers of one installation share: who is believed, and what each side shows. */
export interface Material {
  /** Newest first. */
  readonly authorities: readonly CertificateAndKey[];
  readonly controller: CertificateAndKey;
  readonly proxy: CertificateAndKey;
}

/**
 * The material as it should be at this time: made where there is none, renewed where half of a life is over; the same object
 * where nothing is to be done. A new authority is believed for days before it signs, and the old one until it expires, so
 * that nobody who re-reads its files meets a stranger.
 */
export function renewMaterial(material: Material | undefined, now: Date): Material {
  const alive = (material?.authorities ?? []).filter(({ certificate }) => validTo(certificate) > now.getTime());
  const [newest] = alive;
  const authorities =
    newest === undefined || halfOver(newest, now)
      ? [makeAuthority(`weir model stream ${now.toISOString().slice(0, 10)}`, lifeOf(now, AUTHORITY_LIFE)), ...alive]
      : alive;
  const signer =
    authorities.find((each) => now.getTime() - validFrom(each.certificate) - SKEW >= ACQUAINTANCE) ??
    authorities.at(-1)!;
  const renewed = (before: CertificateAndKey | undefined, dnsName: string, side: 'client' | 'server') =>
    before !== undefined && !halfOver(before, now) && signedByOneOf(authorities, before)
      ? before
      : issueCertificate(signer, { dnsName, side, validity: lifeOf(now, LEAF_LIFE) });
  const controller = renewed(material?.controller, CONTROLLER_NAME, 'server');
  const proxy = renewed(material?.proxy, PROXY_NAME, 'client');
  const same =
    material !== undefined &&
    controller === material.controller &&
    proxy === material.proxy &&
    authorities.length === material.authorities.length &&
    authorities[0] === material.authorities[0];
  return same ? material : { authorities, controller, proxy };
}

export function credentialsOf(material: Material, side: 'controller' | 'proxy'): Credentials {
  const authorities = material.authorities.map(({ certificate }) => certificate).join('');
  return { authorities, ...material[side] };
}

/** As JSON, keys included. */
export function encodeMaterial({ authorities, controller, proxy }: Material): string {
  const plain = ({ certificate, key }: CertificateAndKey) => ({ certificate, key: key.reveal() });
  return JSON.stringify({ authorities: authorities.map(plain), controller: plain(controller), proxy: plain(proxy) });
}

/** Undefined where it isn't what `encodeMaterial` made. */
export function decodeMaterial(json: string): Material | undefined {
  try {
    const { authorities, controller, proxy } = JSON.parse(json) as Record<string, unknown>;
    const read = (value: unknown): CertificateAndKey => {
      const { certificate, key } = value as { certificate: string; key: string };
      if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) throw new Error('not a pair');
      return { certificate, key: new Redacted(key) };
    };
    return { authorities: (authorities as unknown[]).map(read), controller: read(controller), proxy: read(proxy) };
  } catch {
    return undefined;
  }
}

function halfOver({ certificate }: CertificateAndKey, now: Date): boolean {
  const from = validFrom(certificate);
  return now.getTime() >= from + (validTo(certificate) - from) / 2;
}

function signedByOneOf(authorities: readonly CertificateAndKey[], { certificate }: CertificateAndKey): boolean {
  const leaf = new X509Certificate(certificate);
  return authorities.some((authority) => leaf.verify(new X509Certificate(authority.certificate).publicKey));
}

function lifeOf(now: Date, milliseconds: number): Validity {
  return { notBefore: new Date(now.getTime() - SKEW), notAfter: new Date(now.getTime() + milliseconds) };
}

const validFrom = (certificate: string): number => Date.parse(new X509Certificate(certificate).validFrom);
const validTo = (certificate: string): number => Date.parse(new X509Certificate(certificate).validTo);
