import { CodedError } from '../../../lib/coded-error.ts';

/** A value that can't be written into nginx.conf so that nginx reads exactly it. Names the directive, not the value. */
export class ConfigurationError extends CodedError {
  constructor(directive: string, problem: string) {
    super(
      'WEIR_NGINX_VALUE',
      `A value of the nginx directive ${directive} ${problem}; the configuration is not written.`,
    );
    this.name = 'ConfigurationError';
  }
}
