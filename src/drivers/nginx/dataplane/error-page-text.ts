/** What an error page says, by status: a title and a sentence for the person who reads it. */
const TEXTS = new LuaTable<number, [string, string]>();
TEXTS.set(400, ['Bad request', 'The request is not valid HTTP, or its header is too large.']);
TEXTS.set(401, ['Unauthorized', 'This address asks for credentials.']);
TEXTS.set(403, ['Forbidden', 'Access to this address is not allowed.']);
TEXTS.set(404, ['Not found', 'Nothing is served at this address.']);
TEXTS.set(405, ['Method not allowed', 'This method can not be used here.']);
TEXTS.set(408, ['Request timeout', 'The request did not arrive in time.']);
TEXTS.set(411, ['Length required', 'The request must tell the length of its body.']);
TEXTS.set(413, ['Request too large', 'The body of the request is larger than this address accepts.']);
TEXTS.set(414, ['URI too long', 'The address is longer than can be accepted.']);
TEXTS.set(415, ['Unsupported media type', 'The body is of a type that is not accepted here.']);
TEXTS.set(416, ['Range not satisfiable', 'The range that was asked for is not there.']);
TEXTS.set(421, ['Misdirected request', 'This host can not be asked for over this connection.']);
TEXTS.set(429, ['Too many requests', 'Too many requests were sent in a short time.']);
TEXTS.set(431, ['Request header too large', 'The header of the request is larger than can be accepted.']);
TEXTS.set(500, ['Internal error', 'The request could not be served.']);
TEXTS.set(501, ['Not implemented', 'The request asks for something that is not supported.']);
TEXTS.set(502, ['Bad gateway', 'The service behind this address could not be reached or gave no valid answer.']);
TEXTS.set(503, ['Service unavailable', 'The service behind this address is not available.']);
TEXTS.set(504, ['Gateway timeout', 'The service behind this address did not answer in time.']);
TEXTS.set(505, ['HTTP version not supported', 'This version of HTTP is not supported.']);

export function errorText(status: number): [string, string] {
  return TEXTS.get(status) ?? ['Error', 'The request could not be served.'];
}

/** Of a request whose client showed no certificate that its host takes. */
export const CERTIFICATE_TEXT: [string, string] = [
  'Bad request',
  'This site asks for a client certificate, and none that it accepts was shown.',
];

const GRPC_STATUSES = new LuaTable<number, number>();
GRPC_STATUSES.set(400, 13);
GRPC_STATUSES.set(401, 16);
GRPC_STATUSES.set(403, 7);
GRPC_STATUSES.set(404, 12);
GRPC_STATUSES.set(413, 8);
GRPC_STATUSES.set(429, 14);
GRPC_STATUSES.set(502, 14);
GRPC_STATUSES.set(503, 14);
GRPC_STATUSES.set(504, 14);

/** gRPC's own mapping of HTTP statuses (http-grpc-status-mapping.md); 413 is RESOURCE_EXHAUSTED, as servers say it. */
export function grpcStatus(status: number): number {
  return GRPC_STATUSES.get(status) ?? 2;
}
