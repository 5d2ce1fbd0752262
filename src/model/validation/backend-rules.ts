import { parseIpAddress } from '../../lib/ip-address.ts';
import type { Backend } from '../backend.ts';
import type { Model } from '../model.ts';
import { compareEndpoints } from '../order.ts';
import { backendCertificates } from '../references.ts';
import { checkCertificates } from './known-certificates.ts';
import type { Report } from './problem.ts';

const WITH_TLS = ['https', 'grpcs', 'tls'];

export function checkBackend(backend: Backend, model: Model, report: Report): void {
  checkEndpoints(backend, report);
  checkCertificates(backendCertificates(backend), model, report);
  if (backend.tls === undefined) return;
  if (!WITH_TLS.includes(backend.protocol)) {
    report('tls', 'tls', `protocol ${backend.protocol}`, `TLS settings belong to ${WITH_TLS.join(', ')}`);
  }
  if (backend.tls.verify && backend.tls.authorities === undefined) {
    report('tls', 'tls.verify', 'true without authorities', 'a certificate can be verified only against authorities');
  }
  if (backend.tls.verify && backend.tls.serverName === undefined && backend.tls.subjectAltNames === undefined) {
    report('tls', 'tls.verify', 'true without a name', 'a certificate proves a name: serverName or subjectAltNames');
  }
  if (backend.tls.sendServerName && backend.tls.serverName === undefined) {
    report('tls', 'tls.sendServerName', 'true without serverName', 'only a name that is there can be sent');
  }
}

function checkEndpoints(backend: Backend, report: Report): void {
  for (const [index, endpoint] of backend.endpoints.entries()) {
    const path = `endpoints[${index}]`;
    if (parseIpAddress(endpoint.address) === undefined) {
      report(
        'address',
        `${path}.address`,
        JSON.stringify(endpoint.address),
        'an endpoint is an IPv4 or IPv6 address, without brackets or zone',
      );
    }
    const before = backend.endpoints[index - 1];
    if (before === undefined) continue;
    const order = compareEndpoints(before, endpoint);
    const text = `${endpoint.address} port ${endpoint.port}`;
    if (order > 0) report('order', path, text, 'endpoints stand in canonical order: by address as a number, then port');
    if (order === 0) report('duplicate', path, text, 'an address and port stands once');
  }
}
