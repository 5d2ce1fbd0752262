import { CodedError } from '../../lib/coded-error.ts';

/** A kubeconfig that can't be used: the message names file and field. */
export class KubeconfigError extends CodedError {
  constructor(message: string, remedy: string, cause?: unknown) {
    super('kubeconfig-invalid', message, { remedy, ...(cause === undefined ? {} : { cause }) });
    this.name = 'KubeconfigError';
  }
}
