/** Where the places are that no route may reach. */
export interface Surroundings {
  readonly adminPort: number;
  readonly controlSocket: string;
}

export interface HostileValue {
  readonly name: string;
  readonly text: string;
  /** Where it stands for an address, the port beside it is the admin server's. */
  readonly atAdminPort?: true;
}

/** Characters for private use that stand for bytes which are not UTF-8, until the manifest is written. */
export const RAW_BYTES: ReadonlyMap<string, Buffer> = new Map([
  ['\u{F8F0}', Buffer.from([0xff, 0xfe])],
  ['\u{F8F1}', Buffer.from([0xc0, 0xaf])],
  ['\u{F8F2}', Buffer.from([0xed, 0xa0, 0x80])],
]);

const MEBIBYTE = 1024 * 1024;

/** What somebody might write to break out of the place where a value belongs, or to get where nobody should. */
export function hostileValues(where: Surroundings): readonly HostileValue[] {
  return [
    ...named(NGINX),
    ...named(LUA),
    ...named(CONTROLS),
    ...named(UNICODE),
    ...named(PATTERNS),
    ...named(PATHS),
    ...named(WORDS),
    ...named(LARGE),
    ...[...RAW_BYTES.keys()].map((text, index) => ({ name: `bytes that are no UTF-8 (${index})`, text: `a${text}b` })),
    ...urls(where),
    ...addresses(where),
  ];
}

function named(values: readonly string[]): readonly HostileValue[] {
  return values.map((text) => ({ name: `${JSON.stringify(text.slice(0, 30))} (${text.length})`, text }));
}

function urls({ adminPort, controlSocket }: Surroundings): readonly HostileValue[] {
  return named([
    `unix:${controlSocket}`,
    `http://unix:${controlSocket}:/v1/state`,
    `http://127.0.0.1:${adminPort}/`,
    `http://localhost:${adminPort}/`,
    `http://[::1]:${adminPort}/`,
    `http://[::ffff:127.0.0.1]:${adminPort}/`,
    `http://0x7f000001:${adminPort}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://user:word@evil.test/',
    'http://evil.test/\r\nX-Owned: 1',
    'http://evil.test/"$host"',
    'http://${host}/',
    'http://',
    'http://[',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '//evil.test/',
    'https://example.test/a;b{c}',
  ]);
}

function addresses({ adminPort }: Surroundings): readonly HostileValue[] {
  return [
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:127.0.0.1',
    '::127.0.0.1',
    'localhost',
    'localhost.',
    '127.1',
    '127.0.0.1.',
    '127.000.000.001',
    '2130706433',
    '0x7f000001',
    '169.254.169.254',
    '[::1]',
    `127.0.0.1:${adminPort}`,
    '::1%lo',
    'fe80::1%lo',
  ].map((text) => ({ name: `${JSON.stringify(text)} at the admin server's port`, text, atAdminPort: true }));
}

const NGINX = [
  '"; return 200 "owned"; #',
  "'; return 200 'owned'; #",
  '} location /owned { return 200; } {',
  '; } } server { listen 1; ',
  '{',
  '}',
  ';',
  '"',
  "'",
  '`id`',
  '$',
  '$host',
  '${host}',
  '${',
  '$(id)',
  '$weir_request_id',
  '$1$9$10',
  '# owned',
  'a #b',
  '\\',
  '\\"',
  "\\'",
  '\\\\";return 200;#',
  'include /etc/passwd;',
  '@weir_error',
  '@grpc',
  '~* ^/',
  '= /',
];

const LUA = [
  ']]',
  ']==]',
  '--[[',
  '[[owned]]',
  '"..os.execute("id").."',
  '") os.execute("id") --',
  '\\0',
  '\\x22',
  '%s%d%n%1',
  '{{ .Values.owned }}',
];

const CONTROLS = [
  'a\nproxy_pass http://127.0.0.1:1;\n#',
  'a\r\nX-Owned: 1\r\n\r\n',
  'a\rb',
  'a\0b',
  '\0',
  'a\tb',
  'a\vb\f',
  'a\u007fb',
  'a\u001b[31mb',
  'a\u0085b',
  '\n',
  ' a ',
  '2026/01/01 00:00:00 [alert] 1#1: forged\n2026/01/01 00:00:00 [alert] 1#1: forged',
  '","status":200,"forged":"',
];

const UNICODE = [
  'a\ud800b',
  'a\udc00b',
  '\u202egnp.exe',
  '\u2066a\u2069',
  '\ufeffa',
  'a\u2028b',
  'a\u200bb',
  'ｅｘａｍｐｌｅ．ｃｏｍ',
  'İstanbul',
  'straße',
  '🦫',
  'e\u0301',
];

const PATTERNS = [
  '(a+)+$',
  '/(a+)+$',
  '/(a|aa)+!',
  '/(.*)*(.*)*(.*)*x',
  '/^(([a-z])+.)+[A-Z]([a-z])+$',
  '/(a{1,1000}){1,1000}',
  '/(',
  '/[',
  '/a)(b',
  '/(?R)',
  '/(?{1})',
  '/(*LIMIT_MATCH=1)a',
  '/\\K\\Q',
  '/(?P<n>a)(?P<n>b)',
  '/(?<=a+)b',
  `/(${'a|'.repeat(900)}b)+`,
  `/${'('.repeat(300)}${')'.repeat(300)}`,
];

const PATHS = [
  '/../../etc/passwd',
  '../../../etc/passwd',
  '/..;/a',
  '/%2e%2e/%2e%2e/a',
  '/a%00b',
  '/a%0d%0aX:1',
  '/%',
  '/%zz',
  '/a//b',
  '/a/./b',
  '/a?b=c',
  '/a#b',
  '/a b',
  '/.weir/error',
  '/ä',
  '/a\\b',
  '/*',
  '*',
];

const WORDS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '~',
  'true\n',
  'NaN',
  '-1',
  '1e999',
  '99999999999999999999',
  '0x10',
  '1m;',
  '1,2',
  '*.',
  '*.*.example',
  'a..b',
  '.a',
  'a.',
  'a:80',
  'UPPER.Example',
  'xn--a',
  '-a-',
];

const LARGE = [
  'a'.repeat(MEBIBYTE),
  `/${'(a+)+'.repeat(40_000)}`,
  'a'.repeat(300),
  '"'.repeat(5_000),
  '$'.repeat(5_000),
  'a.'.repeat(2_000),
  '/a'.repeat(40_000),
  'a,'.repeat(10_000),
];
