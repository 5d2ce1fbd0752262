import { readFileSync } from 'node:fs';

/** The releases of Debian whose nginx weir ships on. */
export type DebianRelease = 'bookworm' | 'trixie';

export const DEBIAN_NUMBER: Readonly<Record<DebianRelease, number>> = { bookworm: 12, trixie: 13 };

/** The release that this machine runs; undefined where it runs something else. */
export function thisRelease(file = '/etc/os-release'): DebianRelease | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const value = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'mu').exec(text)?.[1];
  const name = value('VERSION_CODENAME');
  return value('ID') === 'debian' && (name === 'bookworm' || name === 'trixie') ? name : undefined;
}

export function otherRelease(release: DebianRelease): DebianRelease {
  return release === 'bookworm' ? 'trixie' : 'bookworm';
}
