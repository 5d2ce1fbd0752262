import type { AnnotationReference } from '../../src/translate/ingress/annotations/reference.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# Annotations

<!-- Written by tools/generate-reference.ts from the tables in src/translate/ingress/annotations/. Don’t edit. -->

Annotations of an Ingress that weir reads. \`weir explain annotation NAME\` shows the same for one of them.

- Every key may be written with the prefix \`nginx.ingress.kubernetes.io/\`, as ingress-nginx defines it, or with \`weir.dev/\`.
  Where a key is there with both, the one under \`weir.dev/\` holds. A key that restricts access counts under either prefix.
- Values are strings. An empty value counts as if the annotation were not there.
- A value that does not follow the grammar is reported, and the annotation is ignored, unless the table says something else.
- A key that **restricts access** and is not supported yet closes the routes of its Ingress: they answer 503 rather than be open.
- A key that is not known is judged by what it may be meant to be. Where its name is at most two letters away from one that
  restricts access, or from one without which requests would be guarded less (\`proxy-ssl-verify\`, \`auth-method\`,
  \`auth-response-headers\`, without which clients could send those headers themselves), the routes answer 503. Where it is
  that near to one that only shapes what happens (\`auth-signin\`, \`auth-tls-error-page\`, \`proxy-ssl-protocols\`), it is
  ignored with a warning: the routes are as open as with the right name. Otherwise the form of a restriction (\`auth-…\`,
  \`limit-…\`, \`proxy-ssl-…\`, \`allowlist…\`, \`denylist…\`, \`…-snippet\`, \`…-source-range\`) closes too.
- Variables of nginx (\`$host\`) are understood only where the value’s description says so. Elsewhere a value that holds one is refused.
- An Ingress with \`canary: "true"\` keeps its canary, balancing, session affinity and \`service-upstream\` annotations; everything
  else comes from the main Ingress of the same host and path. A canary that an access restriction closes gets no requests.`;

/** docs/reference/annotations.md */
export function annotationsPage(annotations: readonly AnnotationReference[]): string {
  const acted = annotations.filter((annotation) => annotation.state !== 'not-yet');
  const unsupported = annotations.filter((annotation) => annotation.state === 'not-yet');
  const counts = `${acted.filter(({ state }) => state === 'supported').length} of ${annotations.length} keys are supported, ${acted.filter(({ state }) => state === 'no-effect').length} have nothing left to do, ${unsupported.length} are known by name and not supported yet.`;
  return `${[
    INTRODUCTION,
    counts,
    '## Supported',
    ...families(acted).flatMap(([family, entries]) => [`### ${family}`, ...entries.map(section)]),
    '## Not supported yet',
    ...families(unsupported).flatMap(([family, entries]) => [`### ${family}`, unsupportedTable(entries)]),
  ].join('\n\n')}\n`;
}

function families(annotations: readonly AnnotationReference[]): [string, AnnotationReference[]][] {
  return [...Map.groupBy(annotations, ({ family }) => family)];
}

function section(annotation: AnnotationReference): string {
  const facts = [
    `- Value: ${annotation.value?.grammar ?? ''}`,
    `- Default: ${annotation.default ?? ''}`,
    `- Example: \`nginx.ingress.kubernetes.io/${annotation.name}: "${annotation.example ?? ''}"\``,
    `- When the value is invalid: ${annotation.whenInvalid ?? ''}`,
    ...(annotation.needs === undefined ? [] : [`- Has no effect without \`${annotation.needs}\`.`]),
    ...(annotation.differs === undefined ? [] : [`- To know: ${annotation.differs}`]),
  ];
  return `#### \`${annotation.name}\`\n\n${annotation.summary}\n\n${facts.join('\n')}`;
}

function unsupportedTable(annotations: readonly AnnotationReference[]): string {
  return markdownTable(
    ['Key', 'What it is', 'Restricts access', 'What weir does'],
    annotations.map(({ name, summary, restrictsAccess, meanwhile }) => [
      `\`${name}\``,
      summary,
      restrictsAccess ? '**yes**' : 'no',
      meanwhile ?? '',
    ]),
  );
}
