/**
 * Rendering that never throws: an exception costs only the host, backend or certificate that it is about. A record that
 * nginx has stays as it is; where it has none, a stand-in comes: a host that answers 503, a backend without endpoints,
 * no certificate.
 */
import { faultFinding } from '../../../diagnostics/fault-finding.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import type { VirtualHost } from '../../../model/virtual-host.ts';
import { refusedHost, renderHost, type RenderedHost } from './host-record.ts';
import { backendText, certificateText, type RecordText } from './record-text.ts';
import type { RenderContext } from './render-context.ts';

export interface Guarded<Rendered> {
  readonly rendered: Rendered;
  /** weir failed at it, and `rendered` is a stand-in. */
  readonly faulty: boolean;
}

export function guardedHost(host: VirtualHost, context: RenderContext): Guarded<RenderedHost> {
  try {
    return { rendered: renderHost(host, context), faulty: false };
  } catch (error) {
    const record = refusedHost(host.origins[0], 'weir failed at this host.');
    const findings = host.origins.map((origin) => faultFinding(origin, `rendering host ${host.hostname}`, error, KEPT));
    const rendered = {
      text: JSON.stringify(record),
      findings,
      profiles: new Map(),
      patterns: [],
      backends: new Set<string>(),
      certificates: new Set<string>(),
    };
    return { rendered, faulty: true };
  }
}

export function guardedBackend(backend: Backend): Guarded<RecordText> {
  return guarded(
    () => backendText(backend),
    JSON.stringify({ balance: 'rr', endpoints: [] }),
    (error) => faultFinding(backend.origin, `rendering backend ${backend.id}`, error, KEPT),
  );
}

export function guardedCertificate(certificate: Certificate): Guarded<RecordText> {
  const { id, origin } = certificate;
  return guarded(
    () => certificateText(certificate),
    undefined,
    (error) => faultFinding(origin, `rendering certificate ${id}`, error, KEPT, { secret: true }),
  );
}

function guarded(
  render: () => RecordText,
  standIn: string | undefined,
  told: (error: unknown) => Finding,
): Guarded<RecordText> {
  try {
    return { rendered: render(), faulty: false };
  } catch (error) {
    return { rendered: { text: standIn, findings: [told(error)] }, faulty: true };
  }
}

const KEPT = 'What nginx has of it stays, and where it has nothing it answers 503; everything else is served';
