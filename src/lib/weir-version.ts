import project from '../../package.json' with { type: 'json' };

/** The version of this program, from package.json. */
export function weirVersion(): string {
  return project.version;
}
