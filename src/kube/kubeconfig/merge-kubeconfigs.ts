import { isMapping, KubeconfigEntry } from './kubeconfig-entry.ts';

/** Several kubeconfig files read as one: the first that names a thing wins, as kubectl has it. */
export interface MergedKubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
}

export function mergeKubeconfigs(files: readonly KubeconfigEntry[]): MergedKubeconfig {
  return {
    files: files.map(({ file }) => file),
    currentContext: files.map((file) => file.text('current-context')).find((name) => name !== undefined),
    clusters: named(files, 'clusters', 'cluster'),
    contexts: named(files, 'contexts', 'context'),
    users: named(files, 'users', 'user'),
  };
}

function named(files: readonly KubeconfigEntry[], list: string, field: string): ReadonlyMap<string, KubeconfigEntry> {
  const found = new Map<string, KubeconfigEntry>();
  for (const file of files) {
    for (const [index, item] of file.list(list).entries()) {
      if (!isMapping(item))
        throw file.problem(`${list}[${index}]`, 'must be a mapping', `Give it a name and a ${field}.`);
      const { name } = item;
      if (typeof name !== 'string' || name === '') {
        throw file.problem(
          `${list}[${index}].name`,
          'must be a string',
          `Give the ${field} a name, in quotes if it looks like a number.`,
        );
      }
      const body = item[field] ?? {};
      const place = `${list}[${name}].${field}`;
      if (!isMapping(body)) throw file.problem(place, 'must be a mapping', 'Write its fields indented below it.');
      if (!found.has(name)) found.set(name, new KubeconfigEntry(file.file, place, body));
    }
  }
  return found;
}
