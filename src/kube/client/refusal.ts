import type { KubeRequest } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import { describeRequest, type RequestDescription } from './describe-request.ts';

const MOST_WORDS = 500;

/** The error of an answer that isn't a success. `body`: its text, a Status object if the API server itself answered. */
export function refusal(request: KubeRequest, status: number, body: string, retryAfterHeader: unknown): KubeError {
  return statusError(request, status, parsed(body), retryAfterHeader);
}

/** The error of a Status object; `status` when it has no code of its own. */
export function statusError(
  request: KubeRequest,
  status: number,
  answer: unknown,
  retryAfterHeader?: unknown,
): KubeError {
  const what = describeRequest(request);
  const given = fieldsOf(answer);
  const code = typeof given.code === 'number' ? given.code : status;
  const reason =
    causeOf(given, 'ResourceVersionTooLarge') ??
    (typeof given.reason === 'string' && given.reason !== '' ? given.reason : undefined);
  const words = typeof given.message === 'string' ? given.message.slice(0, MOST_WORDS) : '';
  const retryAfter = retryAfterOf(retryAfterHeader, given);
  const remedy = remedyOf(code, what);
  return new KubeError([`${what.text}: ${nameOf(code)}`, words].filter((part) => part !== '').join(': '), {
    status: code,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(remedy === undefined ? {} : { remedy }),
  });
}

const NAMES: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'not authenticated',
  403: 'forbidden',
  404: 'not found',
  409: 'conflict',
  410: 'too old',
  422: 'invalid',
  429: 'too many requests',
};

function nameOf(status: number): string {
  return NAMES[status] ?? `the API server answered ${status}`;
}

function remedyOf(
  status: number,
  { verb, apiGroup, resource, namespace, name }: RequestDescription,
): string | undefined {
  if (status === 401)
    return "Check the user's token, certificate or plugin in the kubeconfig: the API server doesn't know it or it has expired.";
  if (status !== 403) return undefined;
  if (resource === undefined) return 'Give the user a ClusterRole with this path among its nonResourceURLs.';
  const only = name === undefined || verb === 'create' ? '' : `, or for resourceNames ["${name}"] alone`;
  const where = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace} or a ClusterRole`;
  return `Give the user a rule in ${where}: apiGroups ["${apiGroup}"], resources ["${resource}"], verbs ["${verb}"]${only}.`;
}

function retryAfterOf(header: unknown, { details }: Readonly<Record<string, unknown>>): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (/^\d+$/.test(text)) return Number(text);
  const { retryAfterSeconds } = fieldsOf(details);
  return typeof retryAfterSeconds === 'number' && retryAfterSeconds > 0 ? retryAfterSeconds : undefined;
}

/** A cause that says more than the reason above it. */
function causeOf({ details }: Readonly<Record<string, unknown>>, wanted: string): string | undefined {
  const { causes } = fieldsOf(details);
  return Array.isArray(causes) && causes.some((cause) => fieldsOf(cause).reason === wanted) ? wanted : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A proxy between, or an API server that is starting: its plain words say more than nothing.
    return { message: body.trim().split('\n')[0] ?? '' };
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
