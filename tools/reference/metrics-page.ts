import { METRIC_DEFINITIONS } from '../../src/admin/metric-definitions.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# Metrics

<!-- Written by tools/generate-reference.ts from src/admin/metric-definitions.ts. Don’t edit. -->

\`/metrics\` on the admin address, in Prometheus’ text format.`;

/** docs/reference/metrics.md */
export function metricsPage(): string {
  const rows = Object.entries(METRIC_DEFINITIONS).map(([name, { type, help, labels }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return `${INTRODUCTION}\n\n${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}\n`;
}
