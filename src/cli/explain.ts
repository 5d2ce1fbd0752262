import { CATALOGUE } from '../diagnostics/catalogue.ts';
import { dnsQuery } from '../controller/name-query.ts';
import { explain as explainModel } from '../explain/explain.ts';
import type { Explanation } from '../explain/explanation.ts';
import { explanationText } from '../explain/explanation-text.ts';
import { headerFromText } from '../explain/header-from-text.ts';
import { nearestWord } from '../lib/nearest-word.ts';
import { explainAnnotation } from '../translate/ingress/annotations/reference.ts';
import type { Translator } from '../translate/translator.ts';
import { type AdminOptions, askAdmin } from './admin-client.ts';
import { annotationText, codeText } from './reference-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { printable } from './finding-text.ts';
import { type ManifestOptions, readInput } from './read-input.ts';
import { structured } from './structured.ts';
import { type Terminal, write } from './terminal.ts';
import { UsageError } from './usage-error.ts';

interface ExplainOptions extends AdminOptions, ManifestOptions {
  readonly method: string;
  readonly header?: readonly string[];
  readonly output: 'text' | 'json' | 'yaml';
}

/** What becomes of a request, by manifests (-f) or as a running weir has them; or what an annotation or a code means. */
export async function explain(
  terminal: Terminal,
  subject: string,
  name: string | undefined,
  options: ExplainOptions,
): Promise<ExitCode> {
  if (subject === 'annotation') return show(terminal, options.output, ...annotationAnswer(name));
  if (subject === 'code') return show(terminal, options.output, ...codeAnswer(name));
  if (name !== undefined) throw new UsageError(`explain takes one URL; ${JSON.stringify(name)} is too much.`);
  const explanation = await explainUrl(terminal, subject, options);
  const code = explanation.outcome.kind === 'refused' ? EXIT.findings : EXIT.ok;
  await show(terminal, options.output, explanation, explanationText(explanation));
  return code;
}

async function explainUrl(terminal: Terminal, url: string, options: ExplainOptions): Promise<Explanation> {
  const { filename, method, header = [] } = options;
  if (filename !== undefined) {
    if (options.admin !== undefined) throw new UsageError('-f and --admin exclude each other.', 'Give one of them.');
    const { model, translator } = await readInput({ ...options, filename });
    await resolveNames(translator);
    return explainModel(model, { url, method, headers: header.map(headerFromText) });
  }
  const query = new URLSearchParams([['url', url], ['method', method], ...header.map((each) => ['header', each])]);
  return (await askAdmin(`/api/v1/explain?${query}`, options, terminal)) as Explanation;
}

/** Services that stand for a DNS name have their endpoints only when it was asked. */
async function resolveNames(translator: Translator): Promise<void> {
  const query = dnsQuery();
  await Promise.all(
    [...translator.neededNames()].map(async (name) => {
      const result = await query(name);
      translator.resolved(name, result.outcome === 'found' ? { addresses: result.addresses } : { error: result.error });
    }),
  );
}

function annotationAnswer(name: string | undefined): readonly [value: unknown, text: string] {
  if (name === undefined)
    throw new UsageError('which annotation?', 'weir explain annotation NAME, with or without its prefix.');
  const found = explainAnnotation(name);
  if (found.annotation !== undefined) return [found.annotation, annotationText(found.annotation)];
  throw new UsageError(
    `weir knows no annotation ${JSON.stringify(name)}.`,
    found.nearest === undefined ? 'docs/reference/annotations.md lists them all.' : `Did you mean ${found.nearest}?`,
  );
}

function codeAnswer(name: string | undefined): readonly [value: unknown, text: string] {
  if (name === undefined) throw new UsageError('which code?', 'weir explain code WEIRxxxx.');
  const entry = CATALOGUE.find(({ code }) => code === name.toUpperCase());
  if (entry !== undefined) return [entry, codeText(entry)];
  const near = nearestWord(
    name.toUpperCase(),
    CATALOGUE.map(({ code }) => code),
  );
  throw new UsageError(
    `there is no finding ${JSON.stringify(name)}.`,
    near === undefined ? 'docs/reference/findings.md lists them all.' : `Did you mean ${near}?`,
  );
}

async function show(
  terminal: Terminal,
  format: ExplainOptions['output'],
  value: unknown,
  text: string,
): Promise<ExitCode> {
  const lines = () => text.split('\n').map(printable).join('\n');
  await write(terminal.out, format === 'text' ? lines() : await structured(value, format));
  return EXIT.ok;
}
