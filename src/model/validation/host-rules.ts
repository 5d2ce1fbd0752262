import { isHostname } from '../hostname.ts';
import type { Model } from '../model.ts';
import { compareRoutes } from '../order.ts';
import { hostCertificates } from '../references.ts';
import type { VirtualHost } from '../virtual-host.ts';
import { checkCertificates } from './known-certificates.ts';
import type { Report } from './problem.ts';
import { checkRoute } from './route-rules.ts';

export function checkHost(host: VirtualHost, model: Model, report: Report): void {
  if (!isHostname(host.hostname)) {
    report(
      'hostname',
      'hostname',
      JSON.stringify(host.hostname),
      'a host is written a.example, *.example, **.example or *, in lower case',
    );
  }
  const listeners = [...model.listeners.values()].filter((listener) => listener.scope === host.scope);
  if (!listeners.some((listener) => listener.protocol === 'http' || listener.protocol === 'https')) {
    report('scope-without-listener', 'scope', JSON.stringify(host.scope), 'no http or https listener has this scope');
  }
  checkCertificates(hostCertificates(host), model, report);
  const ids = new Set<string>();
  for (const [index, route] of host.routes.entries()) {
    const path = `routes[${index}]`;
    if (ids.has(route.id))
      report('duplicate', `${path}.id`, JSON.stringify(route.id), 'another route of the host has this id');
    ids.add(route.id);
    const before = host.routes[index - 1];
    if (before !== undefined && compareRoutes(before, route) > 0) {
      report('order', path, `"${route.id}" stands after "${before.id}"`, 'routes stand in canonical order');
    }
    checkRoute(route, model, path, report);
  }
}
