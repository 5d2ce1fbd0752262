import { originText } from '../model/origin.ts';
import { backendTlsText } from './backend-tls-view.ts';
import { clientCertificateSentences } from './client-certificates-view.ts';
import type { ExplainedBackend, Explanation } from './explanation.ts';

/** An explanation for people: what happens first, then why. Lines end in a newline. */
export function explanationText(explanation: Explanation): string {
  const lines = [
    ...headLines(explanation),
    ...section('Host', hostLines(explanation)),
    ...section(
      'Client certificates',
      explanation.clientCertificates === undefined ? [] : clientCertificateSentences(explanation.clientCertificates),
    ),
    ...section('Routes, in the order in which they are asked', routeLines(explanation)),
    ...section(
      'Filters, in order',
      explanation.filters.map((filter, index) => `${index + 1}. ${filter}`),
    ),
    ...section('Canaries', canaryLines(explanation)),
    ...section('Backends', backendLines(explanation)),
    ...section('Settings', explanation.outcome.kind === 'forward' ? explanation.outcome.settings : []),
    ...section('Notes', explanation.notes),
  ];
  return `${lines.join('\n')}\n`;
}

function headLines({ request, listener, outcome, conditions }: Explanation): string[] {
  const query = request.query === '' ? '' : `?${request.query}`;
  return [
    `${request.method} ${request.scheme}://${request.host}${request.path}${query}`,
    `  ${outcomeText(outcome)}`,
    ...conditions.map((condition) => `  ${condition}`),
    ...(listener === undefined ? [] : [`  by listener ${listener.name} (${listener.protocol}, port ${listener.port})`]),
  ];
}

function outcomeText(outcome: Explanation['outcome']): string {
  switch (outcome.kind) {
    case 'respond':
      return `is answered with ${outcome.status}: ${outcome.reason}`;
    case 'redirect':
      return `is redirected (${outcome.status}) to ${outcome.location}`;
    case 'refused':
      return `reaches nobody: ${outcome.reason}`;
    case 'passthrough':
      return `is handed on unopened, as ${originText(outcome.origin)} says`;
    case 'forward': {
      const likely = outcome.backends.filter(({ chance }) => chance > 0);
      const names = (backends: readonly ExplainedBackend[]) => backends.map(({ backend }) => backend).join(' or ');
      const target = `to ${names(likely)} as ${outcome.host}${outcome.path}`;
      const empty = likely.filter(({ endpoints }) => endpoints.length === 0);
      if (empty.length === 0) return `is forwarded ${target}`;
      const why = `${names(empty)} has no endpoint`;
      if (empty.length === likely.length) return `gets 503: ${why}; it would be forwarded ${target}`;
      return `gets 503 where ${why}, and otherwise is forwarded ${target}`;
    }
  }
}

function hostLines({ hosts }: Explanation): string[] {
  return hosts
    .filter(({ known }) => known)
    .map(({ hostname, chosen, why }) => `${chosen ? '*' : ' '} ${hostname}: ${why}`);
}

/** Routes whose path isn't this one are counted, not shown. */
function routeLines({ routes }: Explanation): string[] {
  const near = routes.filter(({ reason }) => reason !== 'path');
  const others = routes.length - near.length;
  return [
    ...near.map(
      ({ won, match, why, origin }) =>
        `${won ? '*' : ' '} ${match}\n      ${won ? 'wins' : 'loses'}: ${why}\n      from ${originText(origin)}`,
    ),
    ...(others === 0 ? [] : [`  ${others} ${others === 1 ? 'route is' : 'routes are'} for other paths`]),
  ];
}

function canaryLines({ outcome }: Explanation): string[] {
  if (outcome.kind !== 'forward') return [];
  return outcome.canaries.flatMap((canary) => [
    `${canary.backend} ${canary.verdict} (${originText(canary.origin)})`,
    ...canary.rules.map(({ rule, says }) => `    ${rule}: ${says}`),
  ]);
}

function backendLines({ outcome }: Explanation): string[] {
  if (outcome.kind !== 'forward' && outcome.kind !== 'passthrough') return [];
  return outcome.backends.flatMap(oneBackend);
}

function oneBackend(explained: ExplainedBackend): string[] {
  const { backend, chance, protocol, balancing, endpoints, filters, problem } = explained;
  const how = [protocol, balancing].filter((part) => part !== undefined).join(', ');
  return [
    `${backend}: ${chance} %${how === '' ? '' : ` (${how})`}`,
    ...tlsLines(explained),
    ...filters.map((filter) => `    ${filter}`),
    ...endpoints.map(({ address, port, weight, state }) => {
      const host = address.includes(':') ? `[${address}]` : address;
      return `    ${host}:${port}${weight === 1 ? '' : `, weight ${weight}`}${state === 'ready' ? '' : ` (${state})`}`;
    }),
    ...(problem === undefined ? [] : [`    ${problem}`]),
  ];
}

function tlsLines({ protocol, tls }: ExplainedBackend): string[] {
  if (protocol !== 'https' && protocol !== 'grpcs') return [];
  return [`    TLS: ${backendTlsText(tls ?? { verify: false, sendServerName: false })}`];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}
