import type { Site } from './site.ts';

/** What the spoiled site itself answers. `default-certificate`: served, but by the certificate that weir makes itself. */
export type Meanwhile = 200 | 404 | 503 | 'default-certificate';

export interface ExpectedFinding {
  readonly code: string;
  readonly kind: 'Ingress' | 'Secret' | 'File';
  /** Absent: the spoiled site's. */
  readonly name?: string;
  readonly field: string;
  /** A piece of the line where the finding stands, and the piece of that at which its column is. */
  readonly at: readonly [line: string, column: string];
}

export interface Fault {
  readonly title: string;
  /** Needs a site with a certificate. */
  readonly tls?: true;
  /** Writes the fault into the site's manifest. `victim`: another site, whose name sorts before. */
  readonly spoil: (manifest: string, site: Site, victim: Site) => string;
  readonly findings: (site: Site, victim: Site) => readonly ExpectedFinding[];
  /** What is asked of the spoiled site; absent: `/`. */
  readonly path?: string;
  /** When the site was good before. */
  readonly live: Meanwhile;
  /** When weir starts with the fault; absent: the same. */
  readonly cold?: Meanwhile;
  /** Exit status of `weir check`; absent: 1. */
  readonly exit?: 0;
}

/** Where the fault of this number is put when each has a site of its own, and the site that it is at odds with. */
export function placeFault(
  sites: readonly Site[],
  number: number,
): { readonly fault: Fault; readonly site: Site; readonly victim: Site } {
  const fault = FAULTS[number];
  const index = fault?.tls === true ? 20 * (number + 10) : 40 * number + 102;
  const [site, victim] = [sites[index], sites[fault?.tls === true ? index - 20 : index - 1]];
  if (fault === undefined || site === undefined || victim === undefined) throw new Error(`no fault ${number}`);
  return { fault, site, victim };
}

const PATH = 'spec.rules[0].http.paths[0]';

function annotated(manifest: string, key: string, value: string): string {
  return manifest.replace('  annotations:\n', `  annotations:\n    nginx.ingress.kubernetes.io/${key}: ${value}\n`);
}

function annotationFault(title: string, code: string, key: string, value: string, live: Meanwhile): Fault {
  return {
    title,
    spoil: (manifest) => annotated(manifest, key, value),
    findings: () => [
      {
        code,
        kind: 'Ingress',
        field: `metadata.annotations["nginx.ingress.kubernetes.io/${key}"]`,
        at: [`/${key}: `, value.slice(0, 10)],
      },
    ],
    live,
  };
}

/** A parser sees only in the next line that something was not closed in the one before. */
export const FAULTS: readonly Fault[] = [
  {
    title: 'unclosed YAML: a bracket',
    spoil: (manifest) => manifest.replace('  rules:\n', '  rules: [\n'),
    findings: ({ file }) => [{ code: 'WEIR0003', kind: 'File', name: file, field: '', at: ['    - host: ', '- host'] }],
    live: 200,
    cold: 404,
  },
  {
    title: 'unclosed YAML: a quote',
    spoil: (manifest) => manifest.replace('team: shop', 'team: "shop'),
    findings: ({ file }) => [{ code: 'WEIR0003', kind: 'File', name: file, field: '', at: ['spec:', 'spec'] }],
    live: 200,
    cold: 404,
  },
  {
    title: 'bad regex: an unbalanced pattern',
    spoil: (manifest) =>
      annotated(manifest, 'use-regex', '"true"').replace(
        '          - path: /\n            pathType: Prefix',
        '          - path: /shop/(item|cart\n            pathType: ImplementationSpecific',
      ),
    findings: () => [{ code: 'WEIR0123', kind: 'Ingress', field: `${PATH}.path`, at: ['- path: ', '/shop/('] }],
    path: '/shop/a',
    live: 503,
  },
  {
    title: 'bad regex: one that only PCRE itself refuses',
    spoil: (manifest) =>
      annotated(manifest, 'use-regex', '"true"').replace(
        '          - path: /\n            pathType: Prefix',
        '          - path: /shop/(?P<n>a)?(?P<n>b)?\n            pathType: ImplementationSpecific',
      ),
    findings: () => [{ code: 'WEIR0405', kind: 'Ingress', field: PATH, at: ['- path: ', 'path'] }],
    path: '/shop/a',
    live: 503,
  },
  {
    title: 'quote and newline in a path',
    spoil: (manifest) => manifest.replace('path: /\n', 'path: "/x\\"; return 200 owned; }\\n#"\n'),
    findings: () => [{ code: 'WEIR0102', kind: 'Ingress', field: `${PATH}.path`, at: ['- path: ', '"/x\\"'] }],
    live: 404,
  },
  {
    title: 'impossible host',
    spoil: (manifest, { host }) => manifest.replace(`- host: ${host}`, '- host: "*.*.shop_;example/.."'),
    findings: () => [
      { code: 'WEIR0101', kind: 'Ingress', field: 'spec.rules[0].host', at: ['- host: ', '"*.*.shop_'] },
    ],
    live: 404,
  },
  {
    title: 'missing Service',
    spoil: (manifest, { name }) =>
      manifest.replace(`service:\n                name: ${name}`, 'service:\n                name: no-such-service'),
    findings: () => [
      {
        code: 'WEIR0103',
        kind: 'Ingress',
        field: `${PATH}.backend.service.name`,
        at: ['name: no-such-service', 'no-such-service'],
      },
    ],
    live: 503,
  },
  {
    title: 'missing port',
    spoil: (manifest) => manifest.replace('number: 80\n', 'number: 8081\n'),
    findings: () => [
      {
        code: 'WEIR0104',
        kind: 'Ingress',
        field: `${PATH}.backend.service.port.number`,
        at: ['number: 8081', '8081'],
      },
    ],
    live: 503,
  },
  {
    title: 'missing Secret',
    tls: true,
    spoil: (manifest, { name }) => manifest.replace(`secretName: ${name}-tls`, 'secretName: no-such-secret'),
    findings: () => [
      {
        code: 'WEIR0300',
        kind: 'Ingress',
        field: 'spec.tls[0].secretName',
        at: ['secretName: no-such-secret', 'no-such-secret'],
      },
    ],
    live: 'default-certificate',
  },
  {
    title: 'key that does not fit its certificate',
    tls: true,
    spoil: (manifest, _site, victim) =>
      manifest.replace(/tls\.key: .*/, `tls.key: ${Buffer.from(victim.pair?.key ?? '').toString('base64')}`),
    findings: ({ name }) => [
      {
        code: 'WEIR0304',
        kind: 'Ingress',
        field: 'spec.tls[0].secretName',
        at: [`secretName: ${name}-tls`, `${name}-tls`],
      },
      { code: 'WEIR0304', kind: 'Secret', name: `${name}-tls`, field: 'data["tls.key"]', at: ['tls.key: ', 'LS0tLS1'] },
    ],
    live: 'default-certificate',
  },
  {
    title: 'duplicate path: two Ingresses with one host and path',
    spoil: (manifest, { host }, victim) => manifest.replace(`- host: ${host}`, `- host: ${victim.host}`),
    findings: () => [{ code: 'WEIR0106', kind: 'Ingress', field: `${PATH}.path`, at: ['- path: /', '/'] }],
    live: 404,
  },
  {
    title: 'duplicate path: an Ingress that stands in another file already',
    spoil: (manifest, { name, host }, victim) => {
      const [ingress = ''] = manifest.split('---\n');
      const copy = ingress.replace(`  name: ${name}`, `  name: ${victim.name}`).replace(host, victim.host);
      return `${manifest}---\n${copy}`;
    },
    findings: (_site, victim) => [
      {
        code: 'WEIR0012',
        kind: 'Ingress',
        name: victim.name,
        field: 'metadata.name',
        at: [`name: ${victim.name}`, victim.name],
      },
    ],
    live: 200,
    exit: 0,
  },
  {
    title: 'unknown pathType',
    spoil: (manifest) => manifest.replace('pathType: Prefix', 'pathType: Glob'),
    findings: () => [{ code: 'WEIR0107', kind: 'Ingress', field: `${PATH}.pathType`, at: ['pathType: Glob', 'Glob'] }],
    live: 404,
  },
  annotationFault(
    'hostile annotation: rewrite-target that closes a block',
    'WEIR0205',
    'rewrite-target',
    '"/x; } server { listen 8080; location / { return 200; } }"',
    503,
  ),
  annotationFault(
    'hostile annotation: proxy-body-size with a line break',
    'WEIR0204',
    'proxy-body-size',
    '"1m;\\nclient_max_body_size 0"',
    200,
  ),
  annotationFault(
    'hostile annotation: load-balance with Lua',
    'WEIR0204',
    'load-balance',
    '"ewma]]; os.execute([[id]]) --{{ . }}"',
    200,
  ),
  annotationFault('access annotation that is not supported', 'WEIR0202', 'whitelist-source-range', '10.0.0.0/8', 503),
  {
    title: 'field of the wrong kind',
    spoil: (manifest) => manifest.replace('number: 80\n', 'number: eighty\n'),
    findings: () => [
      {
        code: 'WEIR0100',
        kind: 'Ingress',
        field: `${PATH}.backend.service.port.number`,
        at: ['number: eighty', 'eighty'],
      },
    ],
    live: 200,
    cold: 404,
  },
  {
    title: 'object of 2 MB',
    spoil: (manifest) =>
      manifest.replace('team: shop', `team: shop\n    example.org/notes: ${'weir '.repeat(420_000)}`),
    findings: () => [{ code: 'WEIR0007', kind: 'Ingress', field: '', at: ['apiVersion: networking', 'apiVersion'] }],
    live: 200,
    cold: 404,
  },
];
