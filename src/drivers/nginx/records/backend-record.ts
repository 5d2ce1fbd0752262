import { isIP } from 'node:net';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import { finding } from '../../../diagnostics/catalogue.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend, Balancing, HashPart } from '../../../model/backend.ts';
import type { BackendRecord, HashPartRecord } from '../wire.ts';

export interface RenderedBackend {
  readonly record: BackendRecord;
  readonly findings: readonly Finding[];
}

export function renderBackend(backend: Backend): RenderedBackend {
  const findings: Finding[] = [];
  const endpoints: BackendRecord['endpoints'] = [];
  for (const endpoint of backend.endpoints) {
    // The data plane connects to whatever stands here, so nothing but an address may.
    if (isIP(endpoint.address) === 0) {
      const message = `The endpoint address "${endpoint.address}" of backend ${backend.id} is not an IP address.`;
      findings.push(finding(DRIVER_FINDINGS.endpointAddress, backend.origin, message));
    } else if (endpoint.state === 'draining') endpoints.push([endpoint.address, endpoint.port, endpoint.weight, 1]);
    else endpoints.push([endpoint.address, endpoint.port, endpoint.weight]);
  }
  for (const [setting, value] of Object.entries({
    'health checks': backend.healthCheck,
    'a bound on connections to each endpoint': backend.maxConnectionsPerEndpoint,
    'the PROXY protocol towards endpoints': backend.sendProxyProtocol,
  })) {
    if (value === undefined) continue;
    const message = `Backend ${backend.id} asks for ${setting}, which nginx can not do; it is served without.`;
    findings.push(finding(DRIVER_FINDINGS.settingLeftOut, backend.origin, message));
  }
  return { record: { ...renderBalancing(backend.balancing), endpoints }, findings };
}

function renderBalancing(balancing: Balancing): Pick<BackendRecord, 'balance' | 'hash' | 'subset'> {
  switch (balancing.kind) {
    case 'round-robin':
      return { balance: 'rr' };
    case 'least-connections':
      return { balance: 'lc' };
    case 'ewma':
      return { balance: 'ewma' };
    case 'hash':
      return {
        balance: 'hash',
        hash: balancing.key.map(renderHashPart),
        ...(balancing.subsetSize === undefined ? {} : { subset: balancing.subsetSize }),
      };
  }
}

function renderHashPart(part: HashPart): HashPartRecord {
  return {
    kind: part.kind,
    ...('name' in part ? { name: part.name } : {}),
    ...('value' in part ? { value: part.value } : {}),
  };
}
