import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { SECONDS } from '../values/seconds.ts';

const DIFFERS =
  '`0` is refused: nginx would time out at once. More than 2147483 seconds (24 days) count as that. A unit (`60s`) is refused, by ingress-nginx too.';

const CONNECT: AnnotationKey<number> = {
  name: 'proxy-connect-timeout',
  summary: 'Seconds to wait for a connection to an endpoint.',
  kind: SECONDS,
  default: '5',
  example: '10',
  differs: DIFFERS,
};

const SEND: AnnotationKey<number> = {
  name: 'proxy-send-timeout',
  summary: 'Seconds that may pass between two writes to the endpoint.',
  kind: SECONDS,
  default: '60',
  example: '120',
  differs: DIFFERS,
};

const READ: AnnotationKey<number> = {
  name: 'proxy-read-timeout',
  summary: 'Seconds that may pass between two reads from the endpoint; also how long an idle WebSocket stays open.',
  kind: SECONDS,
  default: '60',
  example: '3600',
  differs: DIFFERS,
};

export const PROXY_TIMEOUTS: AnnotationFamily = {
  title: 'Time-outs',
  keys: [CONNECT, SEND, READ],
  onCanary: false,
  apply(read, settings) {
    const [connect, send, readTimeout] = [read.value(CONNECT), read.value(SEND), read.value(READ)];
    settings.timeouts = {
      ...settings.timeouts,
      ...(connect === undefined ? {} : { connect }),
      ...(send === undefined ? {} : { send }),
      ...(readTimeout === undefined ? {} : { read: readTimeout }),
    };
  },
};
