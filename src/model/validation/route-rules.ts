import type { Model } from '../model.ts';
import { routeBackends } from '../references.ts';
import type { Action, Route } from '../route.ts';
import { checkFilter } from './filter-rules.ts';
import type { Report } from './problem.ts';
import { checkHeaderName, checkTime } from './value-rules.ts';

/** One HTTP route by itself and against the backends it names. */
export function checkRoute(route: Route, model: Model, path: string, report: Report): void {
  checkMatch(route, path, report);
  checkTime(route.created, `${path}.created`, report);
  for (const [index, filter] of route.filters.entries()) {
    checkFilter(filter, route.match.path, `${path}.filters[${index}]`, report);
  }
  checkAction(route.action, route, path, report);
  for (const [index, status] of (route.retry?.statuses ?? []).entries()) {
    if (status < 400 || status > 599) {
      report(
        'status',
        `${path}.retry.statuses[${index}]`,
        String(status),
        'only an answer that is an error is retried',
      );
    }
  }
  checkBackends(route, model, path, report);
}

function checkMatch(route: Route, path: string, report: Report): void {
  const { match } = route;
  const value = match.path.value;
  if (match.path.kind === 'regex' ? value === '' : !value.startsWith('/')) {
    const rule = match.path.kind === 'regex' ? 'a regular expression is not empty' : 'a path begins with a slash';
    report('path', `${path}.match.path.value`, JSON.stringify(value), rule);
  }
  for (const [index, header] of (match.headers ?? []).entries()) {
    checkHeaderName(header.name, `${path}.match.headers[${index}].name`, report);
  }
}

function checkAction(action: Action, route: Route, path: string, report: Report): void {
  if (action.kind !== 'forward') return;
  for (const [index, weighted] of action.backends.entries()) {
    for (const [number, filter] of (weighted.filters ?? []).entries()) {
      checkFilter(filter, route.match.path, `${path}.action.backends[${index}].filters[${number}]`, report);
    }
  }
  for (const [index, canary] of (action.canaries ?? []).entries()) {
    if (canary.weight > canary.weightTotal) {
      const share = `${canary.weight} of ${canary.weightTotal}`;
      report('weight', `${path}.action.canaries[${index}].weight`, share, 'a share is at most all');
    }
  }
}

function checkBackends(route: Route, model: Model, path: string, report: Report): void {
  for (const reference of routeBackends(route, path)) {
    const backend = model.backends.get(reference.id);
    if (backend === undefined) {
      report('unknown-backend', reference.path, JSON.stringify(reference.id), 'no backend of the model has this id');
    } else if (backend.protocol === 'tcp' || backend.protocol === 'udp' || backend.protocol === 'tls') {
      report(
        'wrong-protocol',
        reference.path,
        `"${reference.id}" speaks ${backend.protocol}`,
        'requests are sent to a backend that speaks HTTP, gRPC or FastCGI',
      );
    }
  }
}
