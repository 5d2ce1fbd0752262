import type { Filter } from '../model/filter.ts';
import type { Listener } from '../model/listener.ts';
import type { Route } from '../model/route.ts';
import type { VirtualHost } from '../model/virtual-host.ts';
import { admitsPlain, clientCertificateCondition, clientCertificatesView } from './client-certificates-view.ts';
import type { Explanation, Outcome } from './explanation.ts';
import type { Covered } from './match-route.ts';
import { redirectLocation } from './redirect-location.ts';
import type { RequestTarget } from './request-target.ts';
import { authCondition } from './service-sentences.ts';

/** What the routes of a host make of a request, whoever its client is. */
export interface Followed extends Pick<Explanation, 'routes' | 'filters' | 'outcome'> {
  /** That won. */
  readonly route?: Route;
}

/** What the host's client certificates make of it: whoever shows none that is wanted gets no further. */
export function explainAccess(
  { route, ...followed }: Followed,
  host: VirtualHost,
  listener: Listener,
  target: RequestTarget,
): Pick<Explanation, 'routes' | 'filters' | 'outcome' | 'conditions' | 'clientCertificates'> {
  const own = host.tls?.clientCertificate;
  const policy = target.scheme === 'https' ? (own ?? listener.clientCertificate) : own;
  const conditions = followed.outcome.kind === 'forward' ? (route?.filters ?? []).filter(asks).map(authCondition) : [];
  if (policy === undefined) return { ...followed, conditions };
  const clientCertificates = clientCertificatesView(policy);
  if (target.scheme === 'https') {
    const condition = clientCertificateCondition(clientCertificates);
    return {
      ...followed,
      clientCertificates,
      conditions: condition === undefined ? conditions : [condition, ...conditions],
    };
  }
  if (admitsPlain(clientCertificates)) return { ...followed, clientCertificates, conditions };
  return {
    routes: followed.routes,
    filters: [],
    clientCertificates,
    conditions: [],
    outcome: httpsRedirection(route, target) ?? {
      kind: 'respond',
      status: 403,
      reason: 'The host asks for a client certificate, which can not be shown without TLS.',
    },
  };
}

function asks(filter: Filter): filter is Extract<Filter, { type: 'external-auth' }> {
  return filter.type === 'external-auth';
}

function httpsRedirection(route: Route | undefined, target: RequestTarget): Outcome | undefined {
  const filter = route?.filters.find(({ type }) => type === 'https-redirect');
  const redirection = filter === undefined ? undefined : redirectLocation(filter, target, target.path ?? '/', NO_COVER);
  return redirection === undefined ? undefined : { kind: 'redirect', ...redirection };
}

const NO_COVER: Covered = { prefixLength: 0, captures: [], named: {} };
