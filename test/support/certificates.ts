import { generate } from 'selfsigned';

export interface KeyPair {
  /** PEM, leaf first. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
  readonly key: string;
}

export interface IssueOptions {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly commonName?: string;
  /** Append the authority's own certificate to the chain. */
  readonly withChain?: boolean;
}

export interface Authority extends KeyPair {
  /** A certificate for these DNS names and IP addresses; the first is its common name too. */
  issue(names: readonly string[], options?: IssueOptions): Promise<KeyPair>;
  /** An authority that this one vouches for: clients know it only if its certificate is sent to them. */
  delegate(commonName: string): Promise<Authority>;
}

const DAY_MS = 86_400_000;

type KeyType = 'rsa' | 'ec';

/**
 * An authority of the test's own, to issue certificates with and to be trusted by clients. What it issues has keys of
 * its own type; EC ones are quick to make.
 */
export function makeAuthority(commonName = 'Test authority', keyType: KeyType = 'ec'): Promise<Authority> {
  return authorityBy(undefined, commonName, keyType);
}

async function authorityBy(parent: KeyPair | undefined, commonName: string, keyType: KeyType): Promise<Authority> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType,
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - DAY_MS),
    ...(parent === undefined ? {} : { ca: { key: parent.key, cert: parent.certificate } }),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const authority: KeyPair = { certificate: made.cert, key: made.private };
  return {
    ...authority,
    issue: (names, options = {}) => issue(authority, keyType, names, options),
    delegate: (name) => authorityBy(authority, name, keyType),
  };
}

async function issue(
  authority: KeyPair,
  keyType: KeyType,
  names: readonly string[],
  options: IssueOptions,
): Promise<KeyPair> {
  const notBefore = options.notBefore ?? new Date(Date.now() - DAY_MS);
  const made = await generate([{ name: 'commonName', value: options.commonName ?? names[0] ?? 'nameless' }], {
    keyType,
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: notBefore,
    notAfterDate: options.notAfter ?? new Date(notBefore.getTime() + 90 * DAY_MS),
    ca: { key: authority.key, cert: authority.certificate },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) =>
          isAddress(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
        ),
      },
    ],
  });
  const chain = options.withChain === true ? `${made.cert}\n${authority.certificate}\n` : `${made.cert}\n`;
  return { certificate: chain, key: made.private };
}

function isAddress(name: string): boolean {
  return name.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(name);
}
