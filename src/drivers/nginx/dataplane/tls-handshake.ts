import * as ssl from 'ngx.ssl';
import * as hello from 'ngx.ssl.clienthello';
import { findAuthority, type Authority } from './authority-cache';
import { findCertificate, type ParsedCertificate } from './certificate-cache';
import { catchUp } from './change-log';
import { readClientOffer, type ClientOffer } from './client-offer';
import { askForCertificate } from './client-verification';
import { findListener } from './listener-cache';
import { nameCandidates } from './name-candidates';
import { findServerName } from './server-name-cache';
import { offeredSuites, setSessionContext } from './tls-connection';
import { policyContext } from './tls-policy';

/** What a client is asked for in the certificate phase. */
interface Verification {
  readonly authority: Authority;
  readonly depth: number;
}

/**
 * Before anything is decided on a handshake: keeps sessions of one TLS policy away from the others. What the connection
 * will be asked for is decided here too, from the same records, so that the context never promises another verdict.
 */
export function onClientHello(scope: string, listenerName: string): void {
  catchUp();
  const { policy, verify: own } = findServerName(scope, hello.get_client_hello_server_name());
  const listener = findListener(listenerName);
  let context = policyContext(scope, policy, own !== undefined, listener);
  const verify = own ?? listener?.verify;
  if (verify !== undefined) {
    const authority = findAuthority(verify.authority);
    if (authority === undefined) {
      // Nobody's: what it was made for answers 503, and it must not be resumed when that is mended.
      context = ngx.md5_bin(context);
    } else {
      ngx.ctx.verification = { authority, depth: verify.depth } as Verification;
    }
  }
  if (!setSessionContext(context)) {
    ngx.log(ngx.ERR, 'weir: the session context of a TLS connection could not be set; the connection is closed');
    ngx.exit(ngx.ERROR);
    return;
  }
  ngx.ctx.offer = readClientOffer(offeredSuites());
}

function suits(certificate: ParsedCertificate, offer: ClientOffer): boolean {
  if (certificate.type === 'ec') {
    return offer.ecdsa;
  }
  return certificate.type === 'ed25519' ? offer.ed25519 : true;
}

/** One pair for a handshake: the first elliptic one that the client can use, else the first RSA one, else the first. */
function choose(ids: readonly string[], offer: ClientOffer): ParsedCertificate | undefined {
  let rsa: ParsedCertificate | undefined;
  let first: ParsedCertificate | undefined;
  for (const id of ids) {
    const certificate = findCertificate(id);
    if (certificate !== undefined) {
      if (certificate.type !== 'rsa' && suits(certificate, offer)) {
        return certificate;
      }
      if (certificate.type === 'rsa' && rsa === undefined) {
        rsa = certificate;
      }
      first = first ?? certificate;
    }
  }
  return rsa ?? first;
}

/** Of a name whose host has no pair of its own: the one of a wildcard that covers it, or the default. */
function chooseFor(scope: string, name: string | undefined, offer: ClientOffer): ParsedCertificate | undefined {
  const { certificates } = findServerName(scope, name);
  const chosen = choose(certificates, offer);
  if (chosen !== undefined || name === undefined) {
    return chosen;
  }
  if (certificates.length === 0) {
    for (const candidate of nameCandidates(string.lower(name))) {
      const other = choose(findServerName(scope, candidate).certificates, offer);
      if (other !== undefined) {
        return other;
      }
    }
  }
  return choose(findServerName(scope, undefined).certificates, offer);
}

/** Without a usable pair the static default certificate of the configuration stays. */
export function onCertificate(scope: string): void {
  catchUp();
  const offer = (ngx.ctx.offer as ClientOffer | undefined) ?? { ecdsa: true, ed25519: false };
  const verification = ngx.ctx.verification as Verification | undefined;
  if (verification !== undefined && !askForCertificate(verification.authority, verification.depth)) {
    ngx.log(ngx.ERR, 'weir: a client could not be asked for its certificate; the connection is closed');
    ngx.exit(ngx.ERROR);
    return;
  }
  const chosen = chooseFor(scope, ssl.server_name(), offer);
  if (chosen === undefined) {
    return;
  }
  const problem = present(chosen);
  if (problem !== undefined) {
    ngx.log(ngx.ERR, 'weir: a certificate can not be used: ', problem);
    ngx.exit(ngx.ERROR);
  }
}

function present(certificate: ParsedCertificate): string | undefined {
  ssl.clear_certs();
  const [chainSet, chainProblem] = ssl.set_cert(certificate.chain);
  if (chainSet !== true) {
    return tostring(chainProblem);
  }
  const [keySet, keyProblem] = ssl.set_priv_key(certificate.key);
  return keySet === true ? undefined : tostring(keyProblem);
}
