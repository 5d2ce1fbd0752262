import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend } from '../../../model/backend.ts';
import type { Filter, HeaderChange } from '../../../model/filter.ts';
import type { Origin } from '../../../model/origin.ts';
import { ACCESS_FILTERS } from '../capabilities.ts';
import type { RouteRecord } from '../wire.ts';
import { renderAuth } from './auth-record.ts';
import { foldHeaderChanges } from './header-changes.ts';
import { renderMirror } from './mirror-record.ts';

export interface RenderedFilters {
  readonly record: Partial<RouteRecord>;
  readonly findings: readonly Finding[];
  /** One of them restricts access and can't be honoured. */
  readonly closed: boolean;
}

/** The list of filters, flattened: each kind has one place in a route record, and the data plane's order is the model's. */
export function renderFilters(
  filters: readonly Filter[],
  backends: ReadonlyMap<string, Backend>,
  origin: Origin,
): RenderedFilters {
  const record: Partial<RouteRecord> = {};
  const findings: Finding[] = [];
  const requestChanges: HeaderChange[] = [];
  const responseChanges: HeaderChange[] = [];
  let closed = false;
  const close = (message: string) => {
    closed = true;
    findings.push(finding(DRIVER_FINDINGS.accessRuleClosed, origin, `${message}; the route answers 503.`));
  };
  for (const filter of filters) {
    switch (filter.type) {
      case 'https-redirect':
        record.httpsRedirect = { status: filter.status, ...(filter.port === undefined ? {} : { port: filter.port }) };
        break;
      case 'redirect':
        // The first that applies answers, so a second one without a condition of its own can't be reached.
        record.redirect ??= renderRedirect(filter);
        break;
      case 'rewrite':
        if (filter.path !== undefined) record.rewrite = { kind: filter.path.kind, value: filter.path.value };
        if (filter.hostname !== undefined) record.host = filter.hostname;
        if (filter.forwardedPrefix !== undefined) record.forwardedPrefix = filter.forwardedPrefix;
        break;
      case 'request-headers':
        requestChanges.push(filter.change);
        break;
      case 'response-headers':
        responseChanges.push(filter.change);
        break;
      case 'external-auth': {
        const auth = renderAuth(filter.auth, backends);
        if ('refused' in auth) close(auth.refused);
        else if (record.auth !== undefined) close('A second external auth service can not be asked');
        else record.auth = auth.record;
        if ('notPassed' in auth) {
          const names = auth.notPassed.join(', ');
          const message = `The external auth of this route passes on ${names}, which belongs to one connection; it is left out.`;
          findings.push(finding(DRIVER_FINDINGS.settingLeftOut, origin, message, `Take out of the list: ${names}.`));
        }
        break;
      }
      case 'mirror': {
        const mirror = renderMirror(filter, backends);
        if ('refused' in mirror) {
          const message = `No copies of the requests of this route are sent: ${mirror.refused}.`;
          findings.push(finding(DRIVER_FINDINGS.filterLeftOut, origin, message));
        } else (record.mirrors ??= []).push(mirror);
        break;
      }
      default:
        if (ACCESS_FILTERS.has(filter.type)) {
          closed = true;
          const message = `nginx can not enforce the "${filter.type}" rule of this route yet, so the route answers 503.`;
          findings.push(finding(DRIVER_FINDINGS.accessRuleClosed, origin, message));
        } else {
          const message = `nginx can not do the "${filter.type}" filter of this route yet; it is served without.`;
          findings.push(finding(DRIVER_FINDINGS.filterLeftOut, origin, message));
        }
    }
  }
  const requestHeaders = foldHeaderChanges(requestChanges);
  const responseHeaders = foldHeaderChanges(responseChanges);
  if (requestHeaders !== undefined) record.requestHeaders = requestHeaders;
  if (responseHeaders !== undefined) record.responseHeaders = responseHeaders;
  return { record, findings, closed };
}

function renderRedirect(filter: Extract<Filter, { type: 'redirect' }>): NonNullable<RouteRecord['redirect']> {
  return {
    status: filter.status,
    ...(filter.scheme === undefined ? {} : { scheme: filter.scheme }),
    ...(filter.hostname === undefined ? {} : { host: filter.hostname }),
    ...(filter.port === undefined ? {} : { port: filter.port }),
    ...(filter.path === undefined ? {} : { path: { kind: filter.path.kind, value: filter.path.value } }),
    ...(filter.url === undefined ? {} : { url: filter.url }),
    ...(filter.keepQuery === true ? { keepQuery: true } : {}),
    ...(filter.onlyPath === undefined ? {} : { onlyPath: filter.onlyPath }),
  };
}
