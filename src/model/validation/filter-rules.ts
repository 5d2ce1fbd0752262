import type { Filter, PathRewrite } from '../filter.ts';
import type { PathMatch } from '../match.ts';
import type { Report } from './problem.ts';
import { checkCidrs, checkHeaderChange, checkHeaderName } from './value-rules.ts';

/** Statuses of redirects that a browser follows with the same or another method; 304 and 305 are none. */
const REDIRECTS = [301, 302, 303, 307, 308];

/** What a filter says, given the path match of its route. */
export function checkFilter(filter: Filter, match: PathMatch, path: string, report: Report): void {
  switch (filter.type) {
    case 'https-redirect':
      return checkRedirectStatus(filter.status, `${path}.status`, report);
    case 'redirect':
      checkRedirectStatus(filter.status, `${path}.status`, report);
      checkRewrite(filter.path, match, `${path}.path`, report);
      if (filter.url !== undefined && (filter.scheme ?? filter.hostname ?? filter.port ?? filter.path) !== undefined) {
        report(
          'path',
          `${path}.url`,
          JSON.stringify(filter.url),
          'a whole URL stands instead of scheme, hostname, port and path',
        );
      }
      return;
    case 'rewrite':
      return checkRewrite(filter.path, match, `${path}.path`, report);
    case 'request-headers':
    case 'response-headers':
      return checkHeaderChange(filter.change, `${path}.change`, report);
    case 'mirror':
      if (filter.fraction !== undefined && filter.fraction.numerator > filter.fraction.denominator) {
        const { numerator, denominator } = filter.fraction;
        report('weight', `${path}.fraction`, `${numerator}/${denominator}`, 'a share is at most all');
      }
      return;
    case 'allow-sources':
    case 'deny-sources':
      return checkCidrs(filter.cidrs, `${path}.cidrs`, report);
    case 'limit':
      return checkCidrs(filter.exempt, `${path}.exempt`, report);
    case 'external-auth':
      for (const [index, name] of (filter.auth.responseHeaders ?? []).entries()) {
        checkHeaderName(name, `${path}.auth.responseHeaders[${index}]`, report);
      }
      return checkHeaderChange({ set: filter.auth.setHeaders ?? [] }, `${path}.auth.setHeaders`, report);
    default:
  }
}

function checkRedirectStatus(status: number, path: string, report: Report): void {
  if (!REDIRECTS.includes(status)) report('status', path, String(status), `a redirect answers ${REDIRECTS.join(', ')}`);
}

function checkRewrite(rewrite: PathRewrite | undefined, match: PathMatch, path: string, report: Report): void {
  if (rewrite?.kind === 'prefix' && match.kind !== 'prefix' && match.kind !== 'text-prefix') {
    report(
      'path',
      path,
      JSON.stringify(rewrite.value),
      `a prefix can be replaced only where one is matched, not for a path of kind ${match.kind}`,
    );
  }
  if (rewrite?.kind === 'captures' && match.kind !== 'regex' && /\$(?:[0-9]|\{)/.test(rewrite.value)) {
    report('regex-captures', path, JSON.stringify(rewrite.value), `a path of kind ${match.kind} captures nothing`);
  }
}
