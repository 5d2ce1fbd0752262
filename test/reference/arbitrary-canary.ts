import fc from 'fast-check';

export const CANARY_HEADERS = ['X-Canary', 'x-region'] as const;
export const CANARY_COOKIES = ['beta', 'b'] as const;
export const HEADER_VALUES = ['always', 'never', 'eu-west', 'eu-west-1', 'EU-WEST', 'other', ''] as const;

/** The annotations of a canary, without their prefix. Weights are nothing or everything, so that each answer is determined. */
export const arbitraryCanaryRules: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .record({
    header: fc.option(fc.constantFrom(...CANARY_HEADERS), { freq: 4 }),
    value: fc.option(fc.constantFrom('eu-west', 'always', 'never'), { freq: 2 }),
    pattern: fc.option(fc.constantFrom('^eu-(west|north)$', 'west', 'EU-.*', '^$'), { freq: 2 }),
    cookie: fc.option(fc.constantFrom(...CANARY_COOKIES), { freq: 2 }),
    weight: fc.constantFrom(undefined, '0', '100', '100'),
    total: fc.constantFrom(undefined, '200'),
  })
  .map(({ header, value, pattern, cookie, weight, total }) => {
    const rules: Record<string, string | null | undefined> = {
      canary: 'true',
      'canary-by-header': header,
      'canary-by-header-value': value,
      'canary-by-header-pattern': pattern,
      'canary-by-cookie': cookie,
      // A weight of 100 of 200 would be half; one above its total is refused.
      'canary-weight': weight === '0' || weight === undefined ? weight : (total ?? '100'),
      'canary-weight-total': total,
    };
    const given = Object.entries(rules).filter((rule): rule is [string, string] => typeof rule[1] === 'string');
    return Object.fromEntries(given);
  });
