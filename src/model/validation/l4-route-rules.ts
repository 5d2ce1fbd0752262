import { isHostname } from '../hostname.ts';
import type { L4Route } from '../l4-route.ts';
import type { Model } from '../model.ts';
import { l4Backends, l4Certificates } from '../references.ts';
import { checkCertificates } from './known-certificates.ts';
import type { Report } from './problem.ts';
import { checkCidrs, checkTime } from './value-rules.ts';

export function checkL4Route(route: L4Route, model: Model, report: Report): void {
  const listener = model.listeners.get(route.listener);
  if (listener === undefined) {
    report('unknown-listener', 'listener', JSON.stringify(route.listener), 'no listener of the model has this name');
  } else if (listener.protocol === 'http' || listener.protocol === 'https') {
    report(
      'wrong-protocol',
      'listener',
      `"${listener.name}" speaks ${listener.protocol}`,
      'connections are routed on tls, tcp and udp listeners',
    );
  } else if ((route.tls === 'none') === (listener.protocol === 'tls')) {
    report(
      'wrong-protocol',
      'tls',
      `${route.tls} on a ${listener.protocol} listener`,
      'TLS is handed on or ended on tls listeners, and only there',
    );
  }
  checkTls(route, model, report);
  for (const [index, name] of route.serverNames.entries()) {
    if (!isHostname(name)) {
      report(
        'hostname',
        `serverNames[${index}]`,
        JSON.stringify(name),
        'a server name is written a.example, *.example or **.example',
      );
    }
  }
  checkCidrs(route.allowSources, 'allowSources', report);
  checkCidrs(route.denySources, 'denySources', report);
  checkTime(route.created, 'created', report);
  checkBackends(route, model, report);
}

function checkTls(route: L4Route, model: Model, report: Report): void {
  if (route.tls === 'none' && route.serverNames.length > 0) {
    report('tls', 'serverNames', route.serverNames.join(', '), 'only TLS tells a server name');
  }
  if (route.tls !== 'terminate' && route.certificates.length > 0) {
    report('tls', 'certificates', route.certificates.join(', '), 'certificates are used only where TLS is ended');
  }
  checkCertificates(l4Certificates(route), model, report);
}

function checkBackends(route: L4Route, model: Model, report: Report): void {
  const udp = model.listeners.get(route.listener)?.protocol === 'udp';
  for (const reference of l4Backends(route)) {
    const backend = model.backends.get(reference.id);
    if (backend === undefined) {
      report('unknown-backend', reference.path, JSON.stringify(reference.id), 'no backend of the model has this id');
    } else if ((backend.protocol === 'udp') !== udp) {
      report(
        'wrong-protocol',
        reference.path,
        `"${reference.id}" speaks ${backend.protocol}`,
        udp ? 'a udp listener needs udp backends' : 'only a udp listener reaches udp backends',
      );
    }
  }
}
