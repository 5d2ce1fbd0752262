import type { Backend } from '../../../model/backend.ts';
import type { ExternalAuth } from '../../../model/filter.ts';
import { REQUEST_VARIABLES } from '../../../model/request-variable.ts';
import type { AuthRecord } from '../wire.ts';
import { renderService, requestTarget } from './service-record.ts';
import { unknownVariable } from './unknown-variable.ts';

export interface RenderedAuth {
  readonly record: AuthRecord;
  /** Headers of the answer that can't be passed on; absent: none. */
  readonly notPassed?: readonly string[];
}

/** For people, as a sentence without its full stop: why the route can't be guarded as asked. */
export interface RefusedAuth {
  readonly refused: string;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const METHOD = /^[A-Z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SEVERAL_LINES = /[\0\r\n]/;
/** The backend gets these from weir or from nginx, so that no auth service can. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
]);

/** What the data plane asks before it lets a request of a route go on; everything that it can't do closes the route. */
export function renderAuth(auth: ExternalAuth, backends: ReadonlyMap<string, Backend>): RenderedAuth | RefusedAuth {
  if (auth.protocol === 'grpc') return { refused: 'External auth over gRPC is not supported' };
  if ((auth.forwardBodyBytes ?? 0) > 0) {
    return { refused: "An external auth service can not be given the request's body" };
  }
  const refusal = refusedText(auth);
  if (refusal !== undefined) return { refused: refusal };
  const service = renderService(auth.backend, backends.get(auth.backend), auth.host);
  if ('refused' in service) return { refused: `The external auth service can not be asked: ${service.refused}` };
  const { responseHeaders, cache, keepAlive, signIn } = auth;
  const passed = responseHeaders?.filter((name) => !NOT_PASSED.has(name.toLowerCase()));
  const record: AuthRecord = {
    ...service,
    path: requestTarget(auth.path),
    ...(auth.host === undefined ? {} : { host: auth.host }),
    ...(auth.method === undefined || auth.method === 'GET' ? {} : { method: auth.method }),
    ...(auth.forwardHeaders === undefined ? {} : { forwardHeaders: [...auth.forwardHeaders] }),
    ...(auth.setHeaders === undefined ? {} : { setHeaders: auth.setHeaders.map(({ name, value }) => [name, value]) }),
    ...(passed === undefined || passed.length === 0 ? {} : { responseHeaders: passed }),
    ...(auth.alwaysSetCookie === true ? { alwaysSetCookie: true } : {}),
    ...(signIn === undefined ? {} : { signIn: { url: signIn.url, parameter: signIn.redirectParameter } }),
    ...(auth.requestRedirect === undefined ? {} : { requestRedirect: auth.requestRedirect }),
    ...(cache === undefined
      ? {}
      : {
          cache: {
            key: cache.key,
            durations: cache.durations.map(({ statuses, seconds }) => [[...statuses], seconds]),
          },
        }),
    ...(keepAlive === undefined
      ? {}
      : { keepAlive: [keepAlive.connections, keepAlive.requests, keepAlive.timeoutSeconds] }),
  };
  const notPassed = responseHeaders?.filter((name) => NOT_PASSED.has(name.toLowerCase())) ?? [];
  return notPassed.length === 0 ? { record } : { record, notPassed };
}

function refusedText(auth: ExternalAuth): string | undefined {
  if (auth.method !== undefined && !METHOD.test(auth.method)) {
    return `The method ${JSON.stringify(auth.method)} of the external auth is not written in capital letters`;
  }
  if (auth.host !== undefined && SEVERAL_LINES.test(auth.host))
    return 'The host of the external auth has several lines';
  const names = [...(auth.setHeaders ?? []).map(({ name }) => name), ...(auth.responseHeaders ?? [])];
  const noName = names.find((name) => !TOKEN.test(name));
  if (noName !== undefined) return `${JSON.stringify(noName)} in the external auth is no name of a header`;
  const texts = [
    ...(auth.setHeaders ?? []).map(({ value }) => value),
    auth.path,
    auth.signIn?.url,
    auth.requestRedirect,
    auth.cache?.key,
  ];
  for (const text of texts) {
    const unknown = text === undefined ? undefined : unknownVariable(text);
    if (unknown === undefined) continue;
    return `The external auth uses the variable ${unknown}, which is none of ${REQUEST_VARIABLES.join(', ')}, http_NAME, cookie_NAME and arg_NAME`;
  }
  return undefined;
}
