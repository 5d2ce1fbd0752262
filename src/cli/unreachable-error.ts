import { CodedError } from '../lib/coded-error.ts';

/** What was asked for isn't there to answer: exit status 3. */
export class UnreachableError extends CodedError {
  constructor(message: string, remedy: string, cause?: unknown) {
    super('unreachable', message, { remedy, cause });
  }
}
