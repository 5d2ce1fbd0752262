import type { Balancing } from '../../../../model/backend.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { choice } from '../values/choice.ts';

const ALGORITHMS = ['round_robin', 'ewma', 'least_conn'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const BALANCING: Readonly<Record<Algorithm, Balancing>> = {
  round_robin: { kind: 'round-robin' },
  ewma: { kind: 'ewma' },
  least_conn: { kind: 'least-connections' },
};

const LOAD_BALANCE: AnnotationKey<Algorithm> = {
  name: 'load-balance',
  summary:
    'How an endpoint is chosen: in turn (`round_robin`), by a moving average of response times (`ewma`), or by open requests (`least_conn`).',
  kind: choice(ALGORITHMS),
  default: 'round_robin',
  example: 'ewma',
  differs: '`upstream-hash-by` wins over it. `least_conn` is weir’s own; ingress-nginx would use `round_robin` for it.',
};

export const LOAD_BALANCE_FAMILY: AnnotationFamily = {
  title: 'Load balancing',
  keys: [LOAD_BALANCE],
  onCanary: true,
  apply(read, settings) {
    const algorithm = read.value(LOAD_BALANCE);
    if (algorithm !== undefined) settings.balancing = BALANCING[algorithm];
  },
};
