import path from 'node:path';

/** Folders in normal form and in the order given, without those that stand within another. */
export function manifestRoots(folders: readonly string[]): string[] {
  const roots = [...new Set(folders.map((folder) => normalForm(folder)))];
  const whole = roots.map((root) => path.resolve(root));
  return roots.filter((_root, index) =>
    whole.every((other, at) => {
      if (at === index) return true;
      if (other === whole[index]) return at > index;
      return !whole[index]?.startsWith(path.join(other, '/'));
    }),
  );
}

function normalForm(folder: string): string {
  const normal = path.normalize(folder);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}
