import fc from 'fast-check';
import { CANARY_COOKIES, CANARY_HEADERS, HEADER_VALUES } from './arbitrary-canary.ts';

/** How to make a request that is likely to hit a set of manifests; numbers choose from what is there. */
export interface RequestPlan {
  readonly method: string;
  /** The rule that it is for, and one of that rule's paths… */
  readonly rule: number;
  readonly path: number;
  /** … unless the host is to be another's. */
  readonly stray: boolean;
  readonly spelling: (typeof SPELLINGS)[number];
  readonly tail: string;
  readonly twists: readonly { readonly twist: (typeof TWISTS)[number]; readonly at: number }[];
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly form: (typeof FORMS)[number];
}

const SPELLINGS = ['plain', 'upper', 'port', 'dot', 'dot-port'] as const;
const FORMS = ['origin', 'absolute', 'absolute-empty', 'two-hosts', 'no-host', 'old', 'old-no-host'] as const;
/** What nginx refuses comes last. */
const TWISTS = [
  'encode',
  'encode-lower',
  'encode-slash',
  'double-slash',
  'double-encoded-slash',
  'here',
  'here-encoded',
  'up-and-down',
  'up-and-down-encoded',
  'case',
  'end-slash',
  'end-here',
  'end-up',
  'space',
  'line-feed',
  'raw-byte',
  'plus',
  'brace',
  'question',
  'percent',
  'above-root',
  'nul',
  'half-escape',
] as const;
const TAILS = ['', '', '', '', '', '', '/', '/b', 'b', '/b/c', '/x%20y', '.b', '/c/d/', '/%C3%A9', '/a'] as const;
const QUERIES = ['', '', '?', '?q=1', '?a=/b/../c&d=%2F', '?x=%00', '?a?b', '?é%'] as const;

/** Headers that must not change where a request goes. */
const NOISE: readonly (readonly [string, string])[] = [
  ['X-Forwarded-Host', 'b.test'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Original-URI', '/a'],
  ['Accept', '*/*'],
];

const header: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom<string>(...CANARY_HEADERS, ...CANARY_HEADERS.map((name) => name.toUpperCase())),
      fc.constantFrom<string>(...HEADER_VALUES),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('Cookie'),
      fc
        .array(fc.tuple(fc.constantFrom(...CANARY_COOKIES, 'alphabeta'), fc.constantFrom('always', 'never', 'x')), {
          minLength: 1,
          maxLength: 3,
        })
        .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('; ')),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...NOISE) },
);

const twist = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom(...TWISTS.slice(0, -3)) },
  { weight: 1, arbitrary: fc.constantFrom(...TWISTS) },
);

export const arbitraryRequest: fc.Arbitrary<RequestPlan> = fc.record({
  method: fc.oneof(
    { weight: 20, arbitrary: fc.constant('GET') },
    {
      weight: 6,
      arbitrary: fc.constantFrom('POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'FOO-BAR'),
    },
    { weight: 1, arbitrary: fc.constantFrom('get', 'TRACE', 'CONNECT') },
  ),
  rule: fc.nat(99),
  path: fc.nat(99),
  stray: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  spelling: fc.oneof(
    { weight: 3, arbitrary: fc.constant('plain' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...SPELLINGS) },
  ),
  tail: fc.constantFrom<string>(...TAILS),
  twists: fc.oneof(fc.constant([]), fc.array(fc.record({ twist, at: fc.nat(9) }), { minLength: 1, maxLength: 3 })),
  query: fc.constantFrom<string>(...QUERIES),
  headers: fc.oneof(fc.tuple(header), fc.array(header, { maxLength: 3 })),
  form: fc.oneof(
    { weight: 9, arbitrary: fc.constant('origin' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...FORMS) },
  ),
});
