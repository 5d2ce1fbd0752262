import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';

const SERVICE_UPSTREAM: AnnotationKey<boolean> = {
  name: 'service-upstream',
  summary: 'Sends requests to the Service’s own address instead of its endpoints.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  differs:
    'Session affinity, balancing and retries on another endpoint then have nothing to choose from, in ingress-nginx too.',
};

export const SERVICE_UPSTREAM_FAMILY: AnnotationFamily = {
  title: 'Service address as the endpoint',
  keys: [SERVICE_UPSTREAM],
  onCanary: true,
  apply(read, settings) {
    settings.serviceUpstream = read.value(SERVICE_UPSTREAM) ?? false;
  },
};
