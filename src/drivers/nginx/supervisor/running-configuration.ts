import type { Profile } from '../conf/profile.ts';
import type { ConfigurationInput } from '../conf/configuration.ts';
import type { StateDirectory } from './state-directory.ts';

const FILE = 'configuration.json';

/** What the driver must know of the configuration that nginx runs, and can't read back from nginx.conf. */
export interface RunningConfiguration {
  readonly id: string;
  readonly closed: boolean;
  /** Directory of the compiled program that it loads. */
  readonly dataplane: string;
  /** Without origins and files: what these hold is on disk already. */
  readonly profiles: readonly Profile[];
  /** Names, addresses and everything else of its listeners, as one text to compare. */
  readonly listeners: string;
  readonly zones: ConfigurationInput['zones'];
  readonly formerZones?: NonNullable<ConfigurationInput['formerZones']>;
}

/** False: there is no room for it. */
export function writeRunningConfiguration(directory: StateDirectory, configuration: RunningConfiguration): boolean {
  return directory.writeIfRoom(FILE, JSON.stringify(configuration));
}

/** The one that nginx was last given; undefined if none was, or the file isn't whole. */
export function readRunningConfiguration(directory: StateDirectory): RunningConfiguration | undefined {
  try {
    // Written by this program into a directory that only it may enter.
    const value = JSON.parse(directory.read(FILE) ?? 'null') as RunningConfiguration | null;
    return typeof value?.id === 'string' && Array.isArray(value.profiles) ? value : undefined;
  } catch {
    return undefined;
  }
}
