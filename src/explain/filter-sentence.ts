import type { Filter, HeaderChange, PathRewrite } from '../model/filter.ts';
import type { Model } from '../model/model.ts';
import { authSentence, mirrorSentence } from './service-sentences.ts';

/** What a filter does, for people. No secret is in it. */
export function filterSentence(filter: Filter, model: Model): string {
  switch (filter.type) {
    case 'https-redirect':
      return `Plain HTTP is redirected to HTTPS (${filter.status}).`;
    case 'redirect':
      return filter.onlyPath === undefined
        ? `The request is redirected (${filter.status}).`
        : `A request for exactly ${filter.onlyPath} is redirected (${filter.status}).`;
    case 'rewrite':
      return rewriteSentence(filter);
    case 'request-headers':
      return `Request headers: ${changeText(filter.change)}.`;
    case 'response-headers':
      return `Response headers: ${changeText(filter.change)}.`;
    case 'mirror':
      return mirrorSentence(filter, model);
    case 'cors':
      return `Cross-origin requests from ${list(filter.allowOrigins)} are allowed (${list(filter.allowMethods)}); preflights are answered here.`;
    case 'allow-sources':
      return `Only clients in ${list(filter.cidrs)} are let in; others get 403.`;
    case 'deny-sources':
      return `Clients in ${list(filter.cidrs)} get 403.`;
    case 'basic-auth':
      return `A name and password is asked for (${filter.scheme}, realm "${filter.realm}").`;
    case 'external-auth':
      return authSentence(filter, model);
    case 'satisfy':
      return filter.rule === 'any' ? 'One access rule is enough.' : 'Every access rule must be met.';
    case 'limit':
      return `Each client is limited to ${limitText(filter)}.`;
    case 'cookies':
      return "Domain or path of the backend's cookies is changed.";
    case 'locations':
      return `Redirects of the backend that begin with ${filter.from} begin with ${filter.to} instead.`;
    case 'error-pages':
      return `Answers with ${list(filter.statuses.map(String))} are replaced by a page of ${filter.backend}${filter.interceptBackend === false ? ', only where the error arises here' : ''}.`;
    case 'web-application-firewall':
      return `The request is checked by a web application firewall${filter.coreRules ? ' with the OWASP core rules' : ''}.`;
    case 'tracing':
      return filter.enabled ? 'The request is traced.' : 'The request is not traced.';
    case 'native':
      return `${filter.directives.length} ${filter.dialect} directive(s) of a snippet apply.`;
    case 'extension':
      return `The extension ${filter.name} applies.`;
  }
}

function rewriteSentence(filter: Extract<Filter, { type: 'rewrite' }>): string {
  const parts = [
    ...(filter.path === undefined ? [] : [pathSentence(filter.path)]),
    ...(filter.hostname === undefined ? [] : [`the Host header becomes ${filter.hostname}`]),
    ...(filter.forwardedPrefix === undefined ? [] : [`X-Forwarded-Prefix is ${filter.forwardedPrefix}`]),
  ];
  const text = parts.join('; ');
  return text === '' ? 'Nothing is rewritten.' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function pathSentence(rewrite: PathRewrite): string {
  if (rewrite.kind === 'prefix') return `the matched prefix is replaced by ${rewrite.value}`;
  return `the path becomes ${rewrite.value}${rewrite.kind === 'captures' ? ' (with captures of its path pattern)' : ''}`;
}

function changeText(change: HeaderChange): string {
  const parts = [
    ...(change.set ?? []).map(({ name, value }) => `${name} is set to "${value}"`),
    ...(change.add ?? []).map(({ name, value }) => `"${value}" is added to ${name}`),
    ...(change.remove ?? []).map((name) => `${name} is removed`),
  ];
  return parts.join(', ') || 'none changed';
}

function limitText(filter: Extract<Filter, { type: 'limit' }>): string {
  const parts = [
    ...filter.rates.map(
      ({ requests, perSeconds, burst }) => `${requests} requests in ${perSeconds} s (burst ${burst})`,
    ),
    ...(filter.connections === undefined ? [] : [`${filter.connections} connections`]),
    ...(filter.bytesPerSecond === undefined ? [] : [`${filter.bytesPerSecond} bytes a second`]),
  ];
  return parts.join(', ') + (filter.exempt.length === 0 ? '' : `, except ${list(filter.exempt)}`);
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}
