import type { HashPart } from '../../../../model/backend.ts';
import type { AnnotationFamily } from '../annotation-family.ts';
import type { AnnotationKey } from '../annotation-key.ts';
import { BOOLEAN } from '../values/boolean.ts';
import { HASH_KEY } from '../values/hash-key.ts';
import { integer } from '../values/integer.ts';

const DEFAULT_SUBSET_SIZE = 3;

const HASH_BY: AnnotationKey<HashPart[]> = {
  name: 'upstream-hash-by',
  summary: 'Sends equal keys to the same endpoint, by consistent hashing of this expression.',
  kind: HASH_KEY,
  default: 'no hashing',
  example: '$request_uri$host',
  differs: 'Wins over `load-balance`. Other variables of nginx than the listed ones are refused.',
};

const SUBSET: AnnotationKey<boolean> = {
  name: 'upstream-hash-by-subset',
  summary: 'Spreads equal keys over a group of endpoints instead of sending them to one.',
  kind: BOOLEAN,
  default: 'false',
  example: 'true',
  needs: 'upstream-hash-by',
};

const SUBSET_SIZE: AnnotationKey<number> = {
  name: 'upstream-hash-by-subset-size',
  summary: 'How many endpoints are in such a group; `0` means the default.',
  kind: integer('the size of a subset', 0, 10_000),
  default: String(DEFAULT_SUBSET_SIZE),
  example: '5',
  needs: 'upstream-hash-by-subset',
};

export const UPSTREAM_HASH_BY: AnnotationFamily = {
  title: 'Consistent hashing',
  keys: [HASH_BY, SUBSET, SUBSET_SIZE],
  onCanary: true,
  apply(read, settings) {
    const key = read.value(HASH_BY);
    const subset = read.value(SUBSET);
    const size = read.value(SUBSET_SIZE);
    if (key === undefined) return;
    const subsetSize = size === undefined || size === 0 ? DEFAULT_SUBSET_SIZE : size;
    settings.balancing = { kind: 'hash', key, ...(subset === true ? { subsetSize } : {}) };
  },
};
