import { crc32 } from 'node:zlib';
import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Backend } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import { MAX_RECORD_BYTES, type BackendRecord } from '../wire.ts';
import { renderBackend } from './backend-record.ts';
import { renderCertificate } from './certificate-record.ts';

export interface RecordText {
  /** Undefined: there is to be no such record. */
  readonly text: string | undefined;
  readonly findings: readonly Finding[];
}

export function backendText(backend: Backend): RecordText {
  const { record, findings } = renderBackend(backend);
  const text = JSON.stringify(record);
  if (Buffer.byteLength(text) <= MAX_RECORD_BYTES) return { text, findings };
  const endpoints: BackendRecord['endpoints'] = [];
  let room = MAX_RECORD_BYTES - Buffer.byteLength(JSON.stringify({ ...record, endpoints: [] }));
  for (const endpoint of record.endpoints) {
    room -= Buffer.byteLength(JSON.stringify(endpoint)) + 1;
    if (room < 0) break;
    endpoints.push(endpoint);
  }
  const message = `Backend ${backend.id} with ${record.endpoints.length} endpoints takes more than ${MAX_RECORD_BYTES} bytes. It is served by the first ${endpoints.length} of them.`;
  return {
    text: JSON.stringify({ ...record, endpoints }),
    findings: [...findings, finding(DRIVER_FINDINGS.recordTooLarge, backend.origin, message)],
  };
}

export function certificateText(certificate: Certificate): RecordText {
  const text = JSON.stringify(renderCertificate(certificate));
  if (Buffer.byteLength(text) <= MAX_RECORD_BYTES) return { text, findings: [] };
  const message = `Certificate ${certificate.id} takes more than ${MAX_RECORD_BYTES} bytes. The default certificate is shown instead.`;
  return { text: undefined, findings: [finding(DRIVER_FINDINGS.recordTooLarge, certificate.origin, message)] };
}

/** Eight lower-case hexadecimal digits, as the data plane lists them. */
export function recordChecksum(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0');
}
