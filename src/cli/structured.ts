/** Data as JSON or YAML text. Long texts are kept on one line in YAML, so that `grep` finds them. */
export async function structured(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
