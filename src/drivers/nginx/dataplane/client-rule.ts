import type { ClientCertificateRecord } from '../wire';
import { requireAuthority } from './authority-cache';
import { requireSearchPattern } from './regex';

/** What requests need of their client's certificate, ready to be asked. */
export interface ClientRule {
  readonly mode: ClientCertificateRecord['mode'];
  readonly subjectPattern: string | undefined;
  readonly errorUrl: string | undefined;
  readonly pass: boolean;
}

/** Throws where it can't be enforced: then nothing that needs it may be served. */
export function compileClientRule(record: ClientCertificateRecord): ClientRule {
  requireAuthority(record.authority);
  if (record.subjectPattern !== undefined) {
    requireSearchPattern(record.subjectPattern);
  }
  return {
    mode: record.mode,
    subjectPattern: record.subjectPattern,
    errorUrl: record.errorUrl,
    pass: record.pass === true,
  };
}
