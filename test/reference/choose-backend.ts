import { annotation } from './annotation.ts';
import type { HostRoute } from './host-routes.ts';
import type { IngressManifest, Manifest } from './manifest.ts';
import { asPcreReads } from './pcre.ts';
import { headerValues, type RequestText } from './request-text.ts';
import { hasPort, serviceEndpoints } from './service-endpoints.ts';

/** The endpoints of the main backend or of the canary, as ingress-nginx' canary rules choose: header, cookie, weight. */
export function chooseBackend(
  manifests: readonly Manifest[],
  { ingress, backend, canary }: HostRoute,
  request: RequestText,
): readonly string[] {
  const { namespace } = ingress.metadata;
  // A Service or port that isn't there closes the route, whatever its canary has.
  if (!hasPort(manifests, namespace, backend)) return [];
  if (canary !== undefined && goesToCanary(canary.ingress, request)) {
    const endpoints = serviceEndpoints(manifests, namespace, canary.backend);
    // A canary that isn't up gets nothing.
    if (endpoints.length > 0) return endpoints;
  }
  return serviceEndpoints(manifests, namespace, backend);
}

function goesToCanary(canary: IngressManifest, request: RequestText): boolean {
  const header = annotation(canary, 'canary-by-header');
  const byHeader = header === undefined ? undefined : headerSays(canary, headerValue(request, header));
  if (byHeader !== undefined) return byHeader;
  const cookie = annotation(canary, 'canary-by-cookie');
  const byCookie = cookie === undefined ? undefined : alwaysOrNever(cookieValue(request, cookie));
  if (byCookie !== undefined) return byCookie;
  const weight = Number(annotation(canary, 'canary-weight') ?? 0);
  // Only all or nothing is certain.
  return weight >= Number(annotation(canary, 'canary-weight-total') ?? 100);
}

/** RFC 9110 section 5.3: a repeated header is one, its values joined by commas. */
function headerValue(request: RequestText, name: string): string | undefined {
  const values = headerValues(request, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Whether the header sends the request to the canary; undefined leaves it to the next rule. */
function headerSays(canary: IngressManifest, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const wanted = annotation(canary, 'canary-by-header-value');
  if (wanted !== undefined) return value === wanted ? true : undefined;
  const pattern = annotation(canary, 'canary-by-header-pattern');
  if (pattern !== undefined) return new RegExp(asPcreReads(pattern)).test(value) ? true : undefined;
  return alwaysOrNever(value);
}

function alwaysOrNever(value: string | undefined): boolean | undefined {
  if (value === 'always') return true;
  return value === 'never' ? false : undefined;
}

/** The first cookie of the name, over all Cookie headers. */
function cookieValue(request: RequestText, name: string): string | undefined {
  const pairs = headerValues(request, 'cookie').flatMap((header) => header.split(';').map((pair) => pair.trim()));
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
