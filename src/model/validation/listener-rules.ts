import { parseIpAddress } from '../../lib/ip-address.ts';
import { isHostname } from '../hostname.ts';
import type { Listener } from '../listener.ts';
import type { Model } from '../model.ts';
import { listenerCertificates } from '../references.ts';
import { checkCertificates } from './known-certificates.ts';
import type { Report } from './problem.ts';
import { checkCidrs } from './value-rules.ts';

/** A listener by itself, against the certificates it names, and against the listeners on the same port. */
export function checkListener(listener: Listener, model: Model, report: Report): void {
  for (const [index, address] of listener.addresses.entries()) {
    if (parseIpAddress(address) === undefined) {
      report('address', `addresses[${index}]`, JSON.stringify(address), 'a listener binds IPv4 or IPv6 addresses');
    }
  }
  checkCidrs(listener.trustedProxies, 'trustedProxies', report);
  if (listener.hostname !== undefined && !isHostname(listener.hostname)) {
    report(
      'hostname',
      'hostname',
      JSON.stringify(listener.hostname),
      'a host is written a.example, *.example, **.example or *, in lower case',
    );
  }
  checkCertificates(listenerCertificates(listener), model, report);
  if (listener.clientCertificate !== undefined && listener.protocol !== 'https') {
    report(
      'tls',
      'clientCertificate',
      `protocol ${listener.protocol}`,
      'client certificates are asked for on https listeners',
    );
  }
  checkPort(listener, model, report);
}

/** Each pair is told once, on the listener whose name comes later. */
function checkPort(listener: Listener, model: Model, report: Report): void {
  for (const other of model.listeners.values()) {
    if (other.name >= listener.name || other.port !== listener.port || !shareAddress(listener, other)) continue;
    if (transport(listener) !== transport(other)) continue;
    const text = `port ${listener.port} with "${other.name}"`;
    if (!canShare(listener, other)) {
      report('port-conflict', 'port', text, `${listener.protocol} and ${other.protocol} can't share a port`);
    } else if (listener.protocol === other.protocol && (listener.hostname ?? '*') === (other.hostname ?? '*')) {
      report('port-conflict', 'hostname', text, 'listeners of one port and protocol differ in their host name');
    }
  }
}

function transport(listener: Listener): 'udp' | 'tcp' {
  return listener.protocol === 'udp' ? 'udp' : 'tcp';
}

function shareAddress(a: Listener, b: Listener): boolean {
  if (a.addresses.length === 0 || b.addresses.length === 0) return true;
  return a.addresses.some((address) => b.addresses.includes(address));
}

/** Several names of one protocol; and https beside tls, told apart by the SNI name. */
function canShare(a: Listener, b: Listener): boolean {
  const byName = ['https', 'tls'];
  if (byName.includes(a.protocol) && byName.includes(b.protocol)) return true;
  return a.protocol === 'http' && b.protocol === 'http';
}
