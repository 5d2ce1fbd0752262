import type { KubeRequest } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import { describeRequest } from './describe-request.ts';

/** The error of a request that got no answer, or not a whole one. */
export function unreachable(request: KubeRequest, server: string, cause: unknown): KubeError {
  if (cause instanceof KubeError) return cause;
  const { text } = describeRequest(request);
  const error = innermost(cause);
  const code = typeof error.code === 'string' ? error.code : '';
  const remedy = remedyOf(code);
  return new KubeError(`${text}: no answer from ${server}: ${error.message || code || 'the connection broke'}`, {
    cause,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function remedyOf(code: string): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return "Check that the API server runs, and that the server's address in the kubeconfig can be reached from here.";
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return "Check the server's name in the kubeconfig: it can not be resolved here.";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return "The API server's certificate is for another name: correct server in the kubeconfig, or set tls-server-name.";
    case 'CERT_HAS_EXPIRED':
      return "The API server's certificate has expired: renew it there, and check this machine's clock.";
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return "The API server's certificate is from no authority that weir trusts here: set certificate-authority-data in the kubeconfig.";
    default:
      return undefined;
  }
}

/** What went wrong first: undici wraps socket errors, and several addresses give one error each. */
function innermost(cause: unknown): { readonly message: string; readonly code?: unknown } {
  let error: unknown = cause;
  for (let depth = 0; depth < 5; depth += 1) {
    if (error instanceof AggregateError && error.errors.length > 0) error = error.errors[0];
    else if (error instanceof Error && error.cause instanceof Error) error = error.cause;
    else break;
  }
  return error instanceof Error ? error : { message: String(error) };
}
