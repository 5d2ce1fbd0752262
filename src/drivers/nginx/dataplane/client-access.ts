import { answerRedirect } from './answer';
import { findAuthority } from './authority-cache';
import { hasUnexpiredCertificate, readVerdict, type ClientVerdict } from './client-verdict';
import type { ClientRule } from './client-rule';
import type { Host } from './host';
import { findListener } from './listener-cache';
import { refuse } from './local-answer';
import { matchRoute } from './match-route';
import { httpsUrl } from './redirect';
import { found } from './regex';
import { currentRecord, openRecord } from './request-record';
import { findServerName } from './server-name-cache';
import { sendAway } from './stale-connection';
import { forgetSession, sessionContext } from './tls-connection';
import { policyContext } from './tls-policy';
import { isGoodNow } from './verify-again';

/** Whether a request's host, or the listener that it came by, is held to a TLS policy. `listener`: none for plain HTTP. */
export function isGuarded(host: Host, listener: string | undefined): boolean {
  return host.policy !== undefined || (listener !== undefined && findListener(listener) !== undefined);
}

/**
 * Whether a request of a guarded host may go on; it is answered if not. A connection's verdict counts only where it was
 * made under the very policy that the host has now: with another name's, or one of before a change, it says nothing. A
 * connection from before a change is verified again, and if that doesn't do, its client must make another.
 */
export function admitClient(
  scope: string,
  listenerName: string | undefined,
  scheme: string,
  hostName: string,
  path: string,
  host: Host,
): boolean {
  if (admit(scope, listenerName, scheme, hostName, path, host)) {
    return true;
  }
  nameRoute(host, path);
  return false;
}

/** Whose request was turned away, for the access log: nothing else of its route applies. */
function nameRoute(host: Host, path: string): void {
  const record = currentRecord();
  if (record !== undefined && record.origin === '' && host.index !== undefined) {
    record.origin = matchRoute(host.index, path)?.origin ?? '';
  }
}

function admit(
  scope: string,
  listenerName: string | undefined,
  scheme: string,
  hostName: string,
  path: string,
  host: Host,
): boolean {
  if (listenerName === undefined) {
    return host.rule === undefined || admitPlain(host.rule, scheme, hostName, path, host);
  }
  const listener = findListener(listenerName);
  const { rule = listener?.rule } = host;
  if (rule === undefined && listener?.broken === true) {
    refuse(503, scheme, undefined, 'The client certificates of this listener can not be verified.');
    return false;
  }
  const wanted = policyContext(scope, host.policy ?? '', host.rule !== undefined, listener);
  const made = sessionContext();
  if (made === wanted) {
    return rule === undefined || judge(rule, readVerdict(), scheme);
  }
  const name = findServerName(scope, ngx.var.ssl_server_name);
  const current = policyContext(scope, name.policy, name.verify !== undefined, listener);
  if (made !== current) {
    // The policy of the connection's own name has changed under it.
    const verify = name.verify ?? listener?.verify;
    const authority = verify === undefined ? undefined : findAuthority(verify.authority);
    if (
      current === wanted &&
      rule !== undefined &&
      verify !== undefined &&
      authority !== undefined &&
      isGoodNow(wanted, authority, verify.depth) &&
      hasUnexpiredCertificate()
    ) {
      return judge(rule, 'success', scheme);
    }
    sendAway(scheme);
    return false;
  }
  refuse(421, scheme, undefined, undefined);
  return false;
}

/**
 * Without TLS nobody shows a certificate. Who asks for one is sent to HTTPS if the route says so; there is no other
 * answer for them here, also where a proxy that is believed says that its client came by HTTPS.
 */
function admitPlain(rule: ClientRule, scheme: string, hostName: string, path: string, host: Host): boolean {
  if (passes(rule, 'none') && rule.subjectPattern === undefined) {
    tell(rule, 'none');
    return true;
  }
  const route = host.index === undefined ? undefined : matchRoute(host.index, path);
  const redirect = route?.record.httpsRedirect;
  if (route !== undefined && redirect !== undefined && scheme !== 'https') {
    openRecord(route, scheme, undefined);
    answerRedirect(redirect.status, httpsUrl(hostName, redirect.port));
  } else {
    refuse(403, scheme, route, 'Client certificates can not be shown without TLS.');
  }
  return false;
}

function passes({ mode }: ClientRule, verdict: ClientVerdict): boolean {
  if (verdict === 'success' || mode === 'insecure-fallback') {
    return true;
  }
  return (verdict === 'none' && mode !== 'require') || (verdict === 'untrusted' && mode === 'optional-no-ca');
}

function judge(rule: ClientRule, verdict: ClientVerdict, scheme: string): boolean {
  if (!passes(rule, verdict)) {
    forgetSession();
    turnAway(rule, scheme, verdict === 'none' ? 'The client showed no certificate.' : refusal(verdict));
    return false;
  }
  if (rule.subjectPattern !== undefined && !found(ngx.var.ssl_client_s_dn ?? '', rule.subjectPattern)) {
    forgetSession();
    refuse(403, scheme, undefined, 'The subject of the client certificate is not one that is wanted.');
    return false;
  }
  tell(rule, verdict);
  return true;
}

function refusal(verdict: ClientVerdict): string {
  return 'The client certificate is not accepted: ' + outcome(verdict);
}

function turnAway(rule: ClientRule, scheme: string, reason: string): void {
  if (rule.errorUrl === undefined) {
    refuse(400, scheme, undefined, reason);
    currentRecord()!.lacksCertificate = true;
    return;
  }
  openRecord(undefined, scheme, undefined).reason = reason;
  answerRedirect(302, rule.errorUrl);
}

/** As nginx writes it: `SUCCESS`, `NONE`, `FAILED:reason`. */
function outcome(verdict: ClientVerdict): string {
  if (verdict === 'none') {
    return 'NONE';
  }
  if (verdict === 'success') {
    return 'SUCCESS';
  }
  return verdict === 'expired' ? 'FAILED:certificate has expired' : (ngx.var.ssl_client_verify ?? 'FAILED');
}

/** What the backend gets to know, in headers that no client can send. */
function tell(rule: ClientRule, verdict: ClientVerdict): void {
  ngx.var.weir_client_verify = outcome(verdict);
  if (verdict === 'none') {
    return;
  }
  ngx.var.weir_client_subject = ngx.var.ssl_client_s_dn ?? '';
  ngx.var.weir_client_issuer = ngx.var.ssl_client_i_dn ?? '';
  if (rule.pass) {
    ngx.var.weir_client_certificate = ngx.var.ssl_client_escaped_cert ?? '';
  }
}
