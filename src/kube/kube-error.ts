import { CodedError } from '../lib/coded-error.ts';

/** What a failed request is about, for messages: `list secrets in namespace shop`. */
export interface KubeErrorDetail {
  /** HTTP status of the answer; undefined when there was none. */
  readonly status?: number;
  /** The Status object's reason: `Forbidden`, `Expired`, `NotFound`, `Conflict`. */
  readonly reason?: string;
  /** Seconds that the server asks to wait. */
  readonly retryAfter?: number;
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** The API server refused a request, or couldn't be reached. */
export class KubeError extends CodedError {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, { status, reason, retryAfter, remedy, cause }: KubeErrorDetail = {}) {
    super(status === undefined ? 'kube-unreachable' : 'kube-refused', message, {
      ...(remedy === undefined ? {} : { remedy }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.name = 'KubeError';
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
