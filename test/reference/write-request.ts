import type { RequestPlan } from './arbitrary-request.ts';
import type { IngressManifest, Manifest } from './manifest.ts';
import type { RequestText } from './request-text.ts';

/** Hosts and addresses that no rule names. */
const STRANGERS = ['nobody.invalid', '127.0.0.1', '[::1]', 'test'] as const;

/** What the patterns of the generator match, as somebody would ask for it. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '/a(/|$)(.*)': ['/a', '/a/', '/a/b'],
  '/(.*)': ['/', '/a', '/foo/b'],
  '/a/(b|c)': ['/a/b', '/a/c'],
  '/[a-z]+': ['/a', '/foo'],
  '/a/([^/]+)/(.*)': ['/a/b/c', '/a/b/'],
  '/a$': ['/a'],
  '/(a)(b)?(.*)': ['/a', '/ab', '/abc'],
  '/a\\.b': ['/a.b', '/axb'],
  '/foo|/a': ['/foo', '/a', '/x/a'],
  '/v[0-9]+/(?:x|y)': ['/v1/x', '/v23/y'],
};

/** The request that a plan means for these manifests. */
export function writeRequest(plan: RequestPlan, manifests: readonly Manifest[], port: number): RequestText {
  const rules = manifests
    .filter((manifest): manifest is IngressManifest => manifest.kind === 'Ingress')
    .flatMap(({ spec }) => spec.rules ?? []);
  // Now and then for none of them.
  const rule = rules.length === 0 || plan.rule % 9 === 8 ? undefined : pick(rules, plan.rule);
  const hosts = (plan.stray ? rules : [rule]).flatMap((one) => examplesOf(one?.host));
  const host = spell(pick(hosts.length === 0 ? STRANGERS : hosts, plan.path), plan.spelling, port);
  const paths = (rule?.http.paths ?? []).flatMap(({ path = '/' }) => EXAMPLES[path] ?? [path]);
  const text = pick([...paths, ...(rule === undefined ? ['/a'] : [])], plan.path >> 2);
  const base = (text.startsWith('/') ? text : `/${text}`) + plan.tail;
  const path = plan.twists.reduce((twisted, { twist, at }) => applyTwist(twisted, twist, at), escape(base));
  return inForm({ ...plan, host, target: path + Buffer.from(plan.query).toString('latin1') });
}

function pick<T>(list: readonly [T, ...T[]] | readonly T[], number: number): T {
  return list[number % list.length]!;
}

/** Names that a host covers, and some beside it. */
function examplesOf(host: string | undefined): readonly string[] {
  if (host === undefined) return STRANGERS;
  const name = host.replace(/:\d+$|\.$/g, '');
  if (!name.startsWith('*.')) return [name, name, name, name, name, name, `sub.${name}`];
  const suffix = name.slice(2);
  return [`q.${suffix}`, `q-1.${suffix}`, `q_1.${suffix}`, `Q.${suffix}`, `q.r.${suffix}`, suffix];
}

function spell(name: string, spelling: RequestPlan['spelling'], port: number): string {
  if (name.startsWith('[')) return spelling.includes('port') ? `${name}:${port}` : name;
  if (spelling === 'upper') return name.toUpperCase();
  return `${name}${spelling.includes('dot') ? '.' : ''}${spelling.includes('port') ? `:${port}` : ''}`;
}

/** What a well-behaved client would write; escapes that are there stay. */
function escape(path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  return bytes.replace(/[^\x21-\x7e]|[?#]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** A place in the path: after one of its slashes, in turn. */
function afterSlash(path: string, at: number, inserted: string): string {
  const slashes = [...path].flatMap((character, index) => (character === '/' ? [index] : []));
  const index = (slashes[at % Math.max(1, slashes.length)] ?? 0) + 1;
  return path.slice(0, index) + inserted + path.slice(index);
}

function replaceAt(path: string, at: number, change: (character: string) => string): string {
  const index = 1 + (at % Math.max(1, path.length - 1));
  const character = path[index];
  // Inside an escape nothing is changed: that would be another kind of request.
  if (character === undefined || /%.?$/.test(path.slice(0, index)) || character === '%') return path;
  return path.slice(0, index) + change(character) + path.slice(index + 1);
}

function applyTwist(path: string, twist: RequestPlan['twists'][number]['twist'], at: number): string {
  const inserted: Readonly<Partial<Record<typeof twist, string>>> = {
    'double-slash': '/',
    'double-encoded-slash': '%2F',
    here: './',
    'here-encoded': '%2e/',
    'up-and-down': 'zz/../',
    'up-and-down-encoded': 'zz%2f%2E./',
    nul: '%00',
    'half-escape': '%4',
    space: '%20',
    'line-feed': '%0A',
    'raw-byte': '\xc3\xa9',
    plus: '+',
    brace: '{|}',
    question: '%3F',
    percent: '%25',
  };
  const appended: Readonly<Partial<Record<typeof twist, string>>> = {
    'end-slash': '/',
    'end-here': '/.',
    'end-up': '/..',
    'above-root': '/../../../../../../..',
  };
  const bytes = inserted[twist];
  if (bytes !== undefined) return bytes.includes('/') || at % 3 === 0 ? afterSlash(path, at, bytes) : path + bytes;
  if (appended[twist] !== undefined) return path + appended[twist];
  if (twist === 'case') return swapCase(path);
  if (twist === 'encode-slash') return replaceAt(path, at, (character) => (character === '/' ? '%2F' : character));
  return replaceAt(path, at, (character) =>
    twist === 'encode' ? percent(character) : percent(character).toLowerCase(),
  );
}

function swapCase(path: string): string {
  return path.replace(/%..|[a-z]|[A-Z]/g, (part) => {
    if (part.startsWith('%')) return part;
    return part === part.toUpperCase() ? part.toLowerCase() : part.toUpperCase();
  });
}

interface Written {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly form: RequestPlan['form'];
}

function inForm({ method, target, host, headers, form }: Written): RequestText {
  const own = [['Host', host] as const, ...headers];
  if (form === 'absolute') {
    return { method, target: `http://${host}${target}`, version: '1.1', headers: [['Host', 'other.test'], ...headers] };
  }
  if (form === 'absolute-empty') return { method, target: `http://${host}?q=1`, version: '1.1', headers: own };
  if (form === 'two-hosts') return { method, target, version: '1.1', headers: [...own, ['Host', 'b.test']] };
  if (form === 'no-host') return { method, target, version: '1.1', headers };
  if (form === 'old-no-host') return { method, target, version: '1.0', headers };
  return { method, target, version: form === 'old' ? '1.0' : '1.1', headers: own };
}
