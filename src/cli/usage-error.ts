import { CodedError } from '../lib/coded-error.ts';

/** The command was called wrongly, or its input can't be read: exit status 2. */
export class UsageError extends CodedError {
  constructor(message: string, remedy?: string) {
    super('usage', message, remedy === undefined ? {} : { remedy });
  }
}
