/** An operational failure: what failed and on what stands in the message, what to do in `remedy`. */
export class CodedError extends Error {
  /** Stable, for programs: `state-locked`, `config-invalid`. */
  readonly code: string;
  readonly remedy: string | undefined;

  constructor(code: string, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'CodedError';
    this.code = code;
    this.remedy = options.remedy;
  }
}
