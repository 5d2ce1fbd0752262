import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { text } from '../values/text.ts';

const UPSTREAM_VHOST: AnnotationKey<string> = {
  name: 'upstream-vhost',
  summary: 'Host header that the backend gets.',
  kind: text({
    name: 'host name',
    grammar: 'a host name, with a port where needed',
    pattern: /^[A-Za-z0-9_~-]+(\.[A-Za-z0-9_~-]+)*(:[0-9]{1,5})?$/,
    longest: 260,
  }),
  default: 'the Host that the client sent',
  example: 'internal.example.com',
  differs: 'Variables of nginx (`$service_name`), which ingress-nginx lets pass undocumented, are refused.',
};

export const UPSTREAM_VHOST_FAMILY: AnnotationFamily = {
  title: 'Host towards the backend',
  keys: [UPSTREAM_VHOST],
  onCanary: false,
  apply(read, settings) {
    const host = read.value(UPSTREAM_VHOST);
    if (host !== undefined) settings.upstreamHost = host;
  },
};
