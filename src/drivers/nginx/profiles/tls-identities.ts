import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { readCertificateBundle } from '../../../lib/certificate-bundle.ts';
import { Redacted } from '../../../lib/redacted.ts';
import type { Backend, BackendTls } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import { isHostname } from '../../../model/hostname.ts';
import type { ProfileFile } from '../conf/profile.ts';
import type { AuthoritiesFile, TlsIdentity } from '../conf/tls-identity.ts';
import { type ClientPair, readClientPair } from './client-pair.ts';

/** What a backend's TLS settings mean to nginx; nothing of both: the common profile of its protocol does. */
export interface BackendIdentity {
  readonly identity?: TlsIdentity;
  readonly files?: readonly ProfileFile[];
}

/** For people, as a sentence: why nginx can't do as asked, and what to do. */
export interface RefusedTls {
  readonly refused: string;
}

interface Bundle {
  readonly file: ProfileFile;
  readonly large: boolean;
}

interface Authorities extends Partial<Bundle> {
  readonly at: AuthoritiesFile;
}

interface Kept {
  readonly certificate: Certificate | undefined;
  readonly answer: BackendIdentity | RefusedTls;
}

/** Certificates between a backend's own and an authority's, where nobody says how many: OpenSSL's own bound. */
const ANY_DEPTH = 100;
const PROTOCOLS: ReadonlySet<string> = new Set(['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']);
const CIPHERS = /^[A-Za-z0-9_+:,.!@=-]+$/;
/** More than these take nginx longer to load, for each location again, than a request should be spared. */
const FEW_AUTHORITIES = 16;
/** Bundles that are remembered; one may be some 200 KiB. */
const MOST_BUNDLES = 256;

/** Reads the TLS settings of backends, each once for as long as they are the same objects. */
export class TlsIdentities {
  readonly #systemAuthorities: string | undefined;
  readonly #answers = new WeakMap<BackendTls, Map<Backend['protocol'], Kept>>();
  readonly #pairs = new WeakMap<Certificate, ClientPair | string>();
  readonly #bundles = new Map<string, Bundle | string>();

  /** `systemAuthorities`: path of the machine's own bundle; undefined: it has none. */
  constructor(systemAuthorities: string | undefined) {
    this.#systemAuthorities = systemAuthorities;
  }

  of(
    { protocol, tls }: Pick<Backend, 'protocol' | 'tls'>,
    certificates: ReadonlyMap<string, Certificate>,
  ): BackendIdentity | RefusedTls {
    if (tls === undefined || (protocol !== 'https' && protocol !== 'grpcs')) return {};
    const certificate = tls.clientCertificate === undefined ? undefined : certificates.get(tls.clientCertificate);
    const answers = this.#answers.get(tls) ?? new Map<Backend['protocol'], Kept>();
    this.#answers.set(tls, answers);
    const known = answers.get(protocol);
    if (known !== undefined && known.certificate === certificate) return known.answer;
    const answer = this.#read(protocol, tls, certificate);
    answers.set(protocol, { certificate, answer });
    return answer;
  }

  #read(
    protocol: 'https' | 'grpcs',
    tls: BackendTls,
    certificate: Certificate | undefined,
  ): BackendIdentity | RefusedTls {
    const name = readName(tls);
    if ('refused' in name) return name;
    const authorities = this.#authorities(tls);
    if (typeof authorities === 'string') return { refused: authorities };
    const client = this.#client(tls, certificate);
    if (typeof client === 'string') return { refused: client };
    const unknown = tls.protocols?.find((version) => !PROTOCOLS.has(version));
    if (unknown !== undefined) {
      return { refused: `"${unknown}" is no version of TLS; nginx knows ${[...PROTOCOLS].join(', ')}` };
    }
    if (tls.ciphers !== undefined && !CIPHERS.test(tls.ciphers)) {
      return { refused: `"${tls.ciphers.slice(0, 100)}" is no list of ciphers as OpenSSL writes them` };
    }
    const { protocols = [], ciphers } = tls;
    if (authorities === undefined && client === undefined && !name.sendServerName) {
      if (protocols.length === 0 && ciphers === undefined) return {};
    }
    const { serverName, sendServerName } = name;
    const context = {
      ...(authorities === undefined ? {} : { authorities: authorities.at }),
      sendServerName,
      ...(client === undefined ? {} : { clientCertificate: client.name }),
      depth: authorities === undefined ? 0 : (tls.depth ?? ANY_DEPTH),
      protocols: [...new Set(protocols)].sort(),
      ...(ciphers === undefined ? {} : { ciphers }),
    };
    const identity: TlsIdentity = {
      name: digest(JSON.stringify([protocol, context, serverName])),
      ...(authorities?.large === true ? { shared: digest(JSON.stringify([protocol, context])) } : {}),
      ...context,
      ...(serverName === undefined ? {} : { serverName }),
    };
    const files = [authorities?.file, client].filter((file) => file !== undefined);
    return { identity, files };
  }

  /** Undefined: nothing is verified. A text: why nothing can be. */
  #authorities(tls: BackendTls): Authorities | string | undefined {
    if (!tls.verify) return undefined;
    if (tls.authorities === undefined) return 'it is to be verified, and no authorities are given to verify it by';
    if (tls.authorities === 'system') {
      const path = this.#systemAuthorities;
      return path === undefined
        ? 'it is to be verified by the authorities of this machine, which has none (on Debian they come with the package ca-certificates)'
        : { at: { path }, large: true };
    }
    const bundle = this.#bundle(tls.authorities);
    return typeof bundle === 'string' ? bundle : { at: { name: bundle.file.name }, ...bundle };
  }

  #bundle(text: string): Bundle | string {
    const known = this.#bundles.get(text);
    if (known !== undefined) return known;
    const bundle = readCertificateBundle(text);
    const read =
      typeof bundle === 'string'
        ? `the bundle of authorities ${bundle}`
        : {
            file: { name: `identities/authorities-${digest(bundle.pem)}.pem`, content: new Redacted(bundle.pem) },
            large: bundle.certificates.length > FEW_AUTHORITIES,
          };
    const [oldest] = this.#bundles.keys();
    if (oldest !== undefined && this.#bundles.size >= MOST_BUNDLES) this.#bundles.delete(oldest);
    this.#bundles.set(text, read);
    return read;
  }

  #client(
    { clientCertificate: id }: BackendTls,
    certificate: Certificate | undefined,
  ): ProfileFile | string | undefined {
    if (id === undefined) return undefined;
    if (certificate === undefined) return `the client certificate ${id} is not there`;
    const pair = this.#pairs.get(certificate) ?? readClientPair(certificate);
    this.#pairs.set(certificate, pair);
    if (typeof pair === 'string') return `the client certificate ${id} can not be used: ${pair}`;
    return { name: `identities/client-${pair.digest}.pem`, content: pair.content };
  }
}

/** nginx knows one name: the one that it verifies is the one that it sends, if it sends any. */
function readName(tls: BackendTls): Pick<TlsIdentity, 'serverName' | 'sendServerName'> | RefusedTls {
  const { verify, sendServerName, subjectAltNames } = tls;
  const serverName = tls.serverName?.toLowerCase();
  let verified = serverName;
  if (subjectAltNames !== undefined) {
    const [only, ...more] = subjectAltNames;
    const value = only?.value.toLowerCase();
    const fits = only?.type === 'dns' && more.length === 0 && verify && (!sendServerName || value === serverName);
    if (!fits) {
      return {
        refused:
          'it is to be verified by other names than the server name, or by URIs; nginx can verify one DNS name, the server name',
      };
    }
    verified = value;
  }
  if (verify && verified === undefined)
    return { refused: 'it is to be verified, and no name is given that it must have' };
  const used = verify || sendServerName ? verified : undefined;
  if (used === undefined) return { sendServerName: false };
  // Names with a wildcard, and `*`, are those of listeners only.
  if (!isHostname(used) || used.includes('*') || isIP(used) !== 0) {
    return { refused: `"${used.slice(0, 260)}" is no DNS name, and nginx can verify and send nothing else` };
  }
  return { serverName: used, sendServerName };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
