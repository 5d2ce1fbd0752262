import * as ssl from 'ngx.ssl';
import * as hello from 'ngx.ssl.clienthello';
import { findCertificate, type ParsedCertificate } from './certificate-cache';
import { catchUp } from './change-log';
import { readClientOffer, type ClientOffer } from './client-offer';
import { findServerName } from './server-name-cache';
import { offeredSuites, setSessionContext } from './tls-connection';

/** Before anything is decided on a handshake: keeps sessions of one TLS policy away from the others. */
export function onClientHello(scope: string): void {
  catchUp();
  const { policy } = findServerName(scope, hello.get_client_hello_server_name());
  if (!setSessionContext(ngx.md5_bin(scope + '\n' + policy))) {
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

function chooseFor(scope: string, name: string | undefined, offer: ClientOffer): ParsedCertificate | undefined {
  const chosen = choose(findServerName(scope, name).certificates, offer);
  return chosen ?? (name === undefined ? undefined : choose(findServerName(scope, undefined).certificates, offer));
}

/** Without a usable pair the static default certificate of the configuration stays. */
export function onCertificate(scope: string): void {
  catchUp();
  const offer = (ngx.ctx.offer as ClientOffer | undefined) ?? { ecdsa: true, ed25519: false };
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
