import * as hello from 'ngx.ssl.clienthello';

/**
 * Whether a client can do without RSA: by its signature algorithms (RFC 8446, 4.2.3), and up to TLS 1.2 also by its
 * cipher suites, which name the kind of key.
 */
const SIGNATURE_ALGORITHMS = 13;
const SUPPORTED_VERSIONS = 43;
const ECDSA = 3;
const ED25519_HIGH = 8;
const ED25519_LOW = 7;

export interface ClientOffer {
  readonly ecdsa: boolean;
  readonly ed25519: boolean;
}

const RSA_ONLY: ClientOffer = { ecdsa: false, ed25519: false };

/** ECDHE-ECDSA suites of TLS 1.2 and before: AES-CBC, AES-GCM, AES-CCM, Camellia, ARIA, ChaCha20. */
function namesEcdsa(high: number, low: number): boolean {
  if (high === 0xcc) {
    return low === 0xa9;
  }
  if (high !== 0xc0) {
    return false;
  }
  return (
    (low >= 0x06 && low <= 0x0a) ||
    (low >= 0x23 && low <= 0x24) ||
    (low >= 0x2b && low <= 0x2c) ||
    (low >= 0x48 && low <= 0x49) ||
    (low >= 0x5c && low <= 0x5d) ||
    (low >= 0x72 && low <= 0x73) ||
    (low >= 0x86 && low <= 0x87) ||
    (low >= 0xac && low <= 0xaf)
  );
}

function offersEcdsaSuite(suites: string): boolean {
  for (const index of $range(1, suites.length - 1, 2)) {
    if (namesEcdsa(string.byte(suites, index), string.byte(suites, index + 1))) {
      return true;
    }
  }
  return false;
}

function offersTls13(): boolean {
  const versions = hello.get_client_hello_ext(SUPPORTED_VERSIONS);
  if (versions === undefined) {
    return false;
  }
  for (const index of $range(2, versions.length - 1, 2)) {
    if (string.byte(versions, index) === 3 && string.byte(versions, index + 1) === 4) {
      return true;
    }
  }
  return false;
}

/** In the client-hello phase. `suites`: the cipher suites as they were sent, two bytes each. */
export function readClientOffer(suites: string): ClientOffer {
  const algorithms = hello.get_client_hello_ext(SIGNATURE_ALGORITHMS);
  if (algorithms === undefined || (!offersTls13() && !offersEcdsaSuite(suites))) {
    return RSA_ONLY;
  }
  let ecdsa = false;
  let ed25519 = false;
  for (const index of $range(3, algorithms.length - 1, 2)) {
    const high = string.byte(algorithms, index);
    const low = string.byte(algorithms, index + 1);
    if (low === ECDSA && high >= 4 && high <= 6) {
      ecdsa = true;
    } else if (high === ED25519_HIGH && low === ED25519_LOW) {
      ed25519 = true;
    }
  }
  return { ecdsa, ed25519 };
}
