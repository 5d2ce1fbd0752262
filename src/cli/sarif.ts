import { CATALOGUE } from '../diagnostics/catalogue.ts';
import type { Finding } from '../diagnostics/finding.ts';

const LEVEL = { error: 'error', warning: 'warning', info: 'note' } as const;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** The findings as a SARIF 2.1.0 log (OASIS), for code scanners and editors. Only rules that occur are listed. */
export function sarifLog(findings: readonly Finding[], version: string): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const entries = new Map(CATALOGUE.map((entry) => [entry.code, entry]));
  const rules = codes.map((code) => {
    const entry = entries.get(code);
    if (entry === undefined) return { id: code };
    return {
      id: code,
      shortDescription: { text: entry.title },
      fullDescription: { text: entry.explanation },
      help: { text: entry.fix },
      defaultConfiguration: { level: LEVEL[entry.severity] },
    };
  });
  const results = findings.map((finding) => ({
    ruleId: finding.code,
    ruleIndex: codes.indexOf(finding.code),
    level: LEVEL[finding.severity],
    message: { text: `${finding.message} ${finding.fix}` },
    locations: [location(finding)],
  }));
  const driver = { name: 'weir', version, rules };
  // Columns are counted as YAML parsers count them, in UTF-16.
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }] };
}

function location({ file, line, column, object, field }: Finding): object {
  const name = [object.kind, object.namespace, object.name].filter((part) => part !== '').join('/');
  const logicalLocations = [{ fullyQualifiedName: field === '' ? name : `${name} ${field}`, kind: 'object' }];
  if (file === undefined) return { logicalLocations };
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
  return { physicalLocation: { artifactLocation: { uri: fileUri(file) }, ...region }, logicalLocations };
}

/** A relative path stays one; an absolute one becomes a file URI. */
function fileUri(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return file.startsWith('/') ? `file://${path}` : path;
}
