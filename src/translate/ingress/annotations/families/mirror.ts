import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { choice } from '../values/choice.ts';
import { type ServiceUrl, serviceUrl } from '../values/service-url.ts';
import { text } from '../values/text.ts';

const TARGET: AnnotationKey<ServiceUrl> = {
  name: 'mirror-target',
  summary: 'URL that gets a copy of every request; its answer is dropped.',
  kind: serviceUrl('http://web.staging.svc.cluster.local$request_uri'),
  default: 'no copies',
  example: 'http://web.staging.svc.cluster.local$request_uri',
  differs:
    'The host is a Service (`NAME.NAMESPACE.svc…`), another DNS name or an address, and fixed. Without a path, and with ' +
    '`/`, `$request_uri` or `/$request_uri`, the copy has the path and query of the request. Copies are sent when the answer ' +
    'is over, so that a slow mirror never delays a client; they stand in no access log.',
};

const HOST: AnnotationKey<string> = {
  name: 'mirror-host',
  summary: 'Host header of the copy.',
  kind: text({
    name: 'host',
    grammar: 'a host name, with or without a port',
    pattern: /^[A-Za-z0-9._-]+(?::[0-9]{1,5})?$/,
    longest: 260,
  }),
  default: 'the host of `mirror-target`',
  example: 'shop.staging.example',
  needs: TARGET.name,
};

const BODY: AnnotationKey<'on' | 'off'> = {
  name: 'mirror-request-body',
  summary: 'Whether the copy has the body.',
  kind: choice(['on', 'off']),
  default: 'on',
  example: 'off',
  needs: TARGET.name,
};

/** What means the request's own path and query. */
const OWN_PATHS: ReadonlySet<string | undefined> = new Set([undefined, '/', '${request_uri}', '/${request_uri}']);

export const MIRROR: AnnotationFamily = {
  title: 'Mirror',
  keys: [TARGET, HOST, BODY],
  onCanary: false,
  apply(read, settings) {
    const url = read.value(TARGET);
    const host = read.value(HOST);
    const body = read.value(BODY);
    if (url === undefined) return;
    const { path } = url;
    settings.mirror = {
      url,
      field: read.field(TARGET.name),
      mirror: {
        type: 'mirror',
        host: host ?? url.host,
        ...(path === undefined || OWN_PATHS.has(path) ? {} : { path }),
        ...(body === 'off' ? { withBody: false } : {}),
      },
    };
  },
};
