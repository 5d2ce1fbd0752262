/**
 * Steps of a field path: `spec.rules[0].http` → `spec`, `rules`, 0, `http`; `metadata.annotations["a.b/c"]` →
 * `metadata`, `annotations`, `a.b/c`. What can't be understood ends the path: the steps before it still help.
 */
export function fieldPath(field: string): (string | number)[] {
  const steps: (string | number)[] = [];
  const step = /\.?([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\['([^']*)'\]/y;
  while (step.lastIndex < field.length) {
    const found = step.exec(field);
    if (found === null) break;
    const [, name, index, quoted, single] = found;
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(unquote(quoted));
    else steps.push(name ?? single ?? '');
  }
  return steps;
}

function unquote(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
