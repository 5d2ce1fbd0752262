/** The Status object that an API server answers and ends watches with. */
export interface StatusFields {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
  /** Reasons of its causes: `ResourceVersionTooLarge`. */
  readonly causes?: readonly string[];
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function statusObject({
  code,
  reason = REASONS[code] ?? '',
  message,
  retryAfterSeconds,
  causes,
}: StatusFields): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message ?? `made up: ${reason}`,
    reason,
    details: {
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ reason: cause, message: cause })) }),
    },
    code,
  };
}
