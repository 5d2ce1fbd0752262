import { MODEL_TABLES, type Model, type ModelDelta, type ModelParts, type ModelTable } from './model.ts';
import { partKey } from './part.ts';
import { checkShape } from './schema-check.ts';
import { checkBackend } from './validation/backend-rules.ts';
import { checkCertificate } from './validation/certificate-rules.ts';
import { checkHost } from './validation/host-rules.ts';
import { checkL4Route } from './validation/l4-route-rules.ts';
import { checkListener } from './validation/listener-rules.ts';
import type { ModelProblem, Report } from './validation/problem.ts';

/**
 * Everything that makes this no model: parts of the wrong shape, references to nothing, lists out of order, values that
 * no load balancer could use. Empty for every model that a translator made; users' mistakes are findings, not problems.
 */
export function validateModel(model: Model): readonly ModelProblem[] {
  return MODEL_TABLES.flatMap((table) => [...model[table].keys()].flatMap((key) => validatePart(model, table, key)));
}

/** The same for the parts that a delta names. What refers to a part that the delta removes is not looked for. */
export function validateDelta(model: Model, delta: ModelDelta): readonly ModelProblem[] {
  return MODEL_TABLES.flatMap((table) =>
    [...delta[table]].filter((key) => model[table].has(key)).flatMap((key) => validatePart(model, table, key)),
  );
}

/** One part, and that what it names is there. Costs as much as the part is large, whatever the size of the model. */
export function validatePart(model: Model, table: ModelTable, key: string): readonly ModelProblem[] {
  const part = model[table].get(key);
  const problems: ModelProblem[] = [];
  const report: Report = (name, path, what, why) => problems.push({ name, table, key, path, what, why });
  for (const { path, what } of checkShape(table, part))
    report('shape', path, what, 'a part has the shape of its schema');
  if (problems.length > 0) return problems;
  check(table, part as ModelParts[typeof table], key, model, report);
  return problems;
}

function check<Table extends ModelTable>(
  table: Table,
  part: ModelParts[Table],
  key: string,
  model: Model,
  report: Report,
): void {
  const own = partKey(table, part);
  if (own !== key) report('key', '', `is "${own}"`, `it stands in the table under another key`);
  CHECKS[table](part, model, report);
}

const CHECKS: { readonly [Table in ModelTable]: (part: ModelParts[Table], model: Model, report: Report) => void } = {
  certificates: (certificate, _model, report) => checkCertificate(certificate, report),
  backends: checkBackend,
  listeners: checkListener,
  hosts: checkHost,
  l4Routes: checkL4Route,
};
