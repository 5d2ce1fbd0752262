import type { CatalogueEntry } from '../diagnostics/catalogue.ts';
import type { AnnotationReference } from '../translate/ingress/annotations/reference.ts';

const STATE = {
  supported: 'supported',
  'no-effect': 'known; nothing is left for it to do',
  'not-yet': 'known by name, not supported yet',
} as const;

/** One annotation, as the reference has it. */
export function annotationText(annotation: AnnotationReference): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['state', STATE[annotation.state]],
    ['family', annotation.family],
    ['value', annotation.value?.grammar],
    ['default', annotation.default],
    ['example', annotation.example],
    ['needs', annotation.needs],
    ['restricts access', annotation.restrictsAccess ? 'yes' : undefined],
    ['if invalid', annotation.whenInvalid],
    ['meanwhile', annotation.meanwhile],
    ['to know', annotation.differs],
  ];
  return `${annotation.keys.join('\n')}\n\n${annotation.summary}\n\n${table(facts)}`;
}

/** One finding of the catalogue. */
export function codeText({ code, severity, title, explanation, fix }: CatalogueEntry): string {
  return `${code} ${title}\n\n${explanation}\n\n${table([
    ['severity', severity],
    ['fix', fix],
  ])}`;
}

function table(facts: readonly (readonly [string, string | undefined])[]): string {
  const there = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...there.map(([name]) => name.length));
  return there.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
