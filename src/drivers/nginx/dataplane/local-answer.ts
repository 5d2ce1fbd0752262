import { answerRedirect, answerText } from './answer';
import { httpsUrl, redirectUrl } from './redirect';
import { openRecord } from './request-record';
import type { Route } from './route';

/** The request ends with an error page; `reason` is for the access log. nginx itself throws the body away and closes where it must. */
export function refuse(status: number, scheme: string, route: Route | undefined, reason: string | undefined): void {
  const record = openRecord(route, scheme, undefined);
  record.reason = reason;
  record.answer = () => {
    ngx.exit(status);
  };
}

/** Answers without a backend if the route says so; tells whether it did. */
export function answerHere(
  route: Route,
  scheme: string,
  host: string,
  path: string,
  captures: RegexCaptures | undefined,
): boolean {
  const { httpsRedirect, respond } = route.record;
  if (route.redirect !== undefined) {
    const url = redirectUrl(route.redirect, scheme, host, path, route.prefixLength, captures);
    if (url !== undefined) {
      openRecord(route, scheme, undefined);
      answerRedirect(route.redirect.record.status, url);
      return true;
    }
  }
  if (httpsRedirect !== undefined && scheme !== 'https') {
    openRecord(route, scheme, undefined);
    answerRedirect(httpsRedirect.status, httpsUrl(host, httpsRedirect.port));
    return true;
  }
  if (respond === undefined) {
    return false;
  }
  if (respond.status >= 400) {
    refuse(respond.status, scheme, route, respond.reason);
  } else {
    openRecord(route, scheme, undefined);
    answerText(respond.status, respond.reason);
  }
  return true;
}
