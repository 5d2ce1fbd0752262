import { CodedError } from '../lib/coded-error.ts';

/** What was asked for isn't there to answer: exit status 3. */
export class UnreachableError extends CodedError {
  /** Nothing at all answered; it may be about to start. */
  readonly silent: boolean;

  constructor(message: string, remedy: string, cause?: unknown, options: { readonly silent?: boolean } = {}) {
    super('unreachable', message, { remedy, cause });
    this.silent = options.silent === true;
  }
}
