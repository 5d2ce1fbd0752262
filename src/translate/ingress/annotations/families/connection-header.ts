import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { choice } from '../values/choice.ts';

const CONNECTION_PROXY_HEADER: AnnotationKey<'close' | 'keep-alive'> = {
  name: 'connection-proxy-header',
  summary: 'Connection header that the backend gets.',
  kind: choice(['close', 'keep-alive']),
  default: 'kept alive; `upgrade` for WebSocket',
  example: 'close',
  differs: 'WebSocket can’t be used on routes that have it, in ingress-nginx too.',
};

export const CONNECTION_HEADER: AnnotationFamily = {
  title: 'Connection header',
  keys: [CONNECTION_PROXY_HEADER],
  onCanary: false,
  apply(read, settings) {
    const header = read.value(CONNECTION_PROXY_HEADER);
    if (header !== undefined) settings.connectionHeader = header;
  },
};
