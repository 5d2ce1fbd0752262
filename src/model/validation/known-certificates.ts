import type { Model } from '../model.ts';
import type { Reference } from '../references.ts';
import type { Report } from './problem.ts';

/** Reports each reference to a certificate that the model doesn't have. */
export function checkCertificates(references: readonly Reference[], model: Model, report: Report): void {
  for (const { id, path } of references) {
    if (model.certificates.has(id)) continue;
    report('unknown-certificate', path, JSON.stringify(id), 'no certificate of the model has this id');
  }
}
