import { CodedError } from '../lib/coded-error.ts';

/** One wrong value or unknown key. */
export interface ConfigProblem {
  readonly key: string;
  /** `flag --http-port`, `environment WEIR_HTTP_PORT`, `weir.yaml:3`. */
  readonly place: string;
  readonly message: string;
  readonly remedy: string;
}

/** All that is wrong with the configuration, so that it can be mended in one go. */
export class ConfigError extends CodedError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super('config-invalid', problems.map(({ place, message, remedy }) => `${place}: ${message} ${remedy}`).join('\n'));
    this.problems = problems;
  }
}
