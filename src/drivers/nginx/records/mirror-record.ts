import type { Backend } from '../../../model/backend.ts';
import type { Filter } from '../../../model/filter.ts';
import type { MirrorRecord } from '../wire.ts';
import { type RefusedService, renderService, requestTarget } from './service-record.ts';
import { unknownVariable } from './unknown-variable.ts';

/** What the data plane sends a copy of each request of a route by; a text is why it sends none. */
export function renderMirror(
  mirror: Extract<Filter, { type: 'mirror' }>,
  backends: ReadonlyMap<string, Backend>,
): MirrorRecord | RefusedService {
  const { backend, fraction, host, path } = mirror;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (host !== undefined && /[\0\r\n]/.test(host)) return { refused: 'its host has several lines' };
  const unknown = path === undefined ? undefined : unknownVariable(path);
  if (unknown !== undefined) return { refused: `its path uses the variable ${unknown}, which there is not` };
  const service = renderService(backend, backends.get(backend), host);
  if ('refused' in service) return service;
  return {
    ...service,
    ...(fraction === undefined ? {} : { fraction: [fraction.numerator, fraction.denominator] }),
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path: requestTarget(path) }),
    ...(mirror.withBody === false ? { withoutBody: true } : {}),
  };
}
