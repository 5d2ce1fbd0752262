import type { Listener } from '../../model/listener.ts';
import type { Origin } from '../../model/origin.ts';
import type { ReloadReason } from '../driver.ts';
import type { ConfigurationInput, NginxSettings } from './conf/configuration.ts';
import type { Profile } from './conf/profile.ts';
import { mergeProfiles } from './profiles/profile-set.ts';
import type { RunningConfiguration } from './supervisor/running-configuration.ts';

export interface WantedConfiguration {
  readonly listeners: readonly Listener[];
  /** Those that routes need and nothing forbids. */
  readonly profiles: readonly Profile[];
  readonly builtIn: readonly Profile[];
  /** Names of those that records in force may name; undefined: it isn't known, so all that nginx runs. */
  readonly inForce: ReadonlySet<string> | undefined;
  readonly zones: ConfigurationInput['zones'];
  readonly settings: NginxSettings;
}

export interface ConfigurationPlan {
  readonly input: ConfigurationInput;
  /** Undefined: nothing that needs a reload is known to differ; the text decides. */
  readonly reason: ReloadReason | undefined;
  readonly newProfiles: readonly Profile[];
}

/**
 * Where nothing else asks for a reload, profiles that no route needs any more stay: they cost nothing. At a reload those
 * stay that records in force name: what takes their place is sent only when the new configuration answers.
 */
export function planConfiguration(
  wanted: WantedConfiguration,
  running: RunningConfiguration | undefined,
): ConfigurationPlan {
  const input = (
    profiles: readonly Profile[],
    formerZones?: ConfigurationInput['formerZones'],
  ): ConfigurationInput => ({
    closed: false,
    listeners: wanted.listeners,
    profiles,
    zones: wanted.zones,
    ...(formerZones === undefined ? {} : { formerZones }),
    settings: wanted.settings,
  });
  const needed = mergeProfiles(wanted.builtIn, wanted.profiles);
  if (running === undefined) return { input: input(needed), reason: undefined, newProfiles: [] };
  const known = new Set(running.profiles.map(({ name }) => name));
  const { inForce = known } = wanted;
  const stillNamed = running.profiles.filter(({ name }) => inForce.has(name));
  const newProfiles = needed.filter(({ name }) => !known.has(name));
  const reason = reloadReason(wanted, running, newProfiles);
  // Records move from the former zones while the configuration is loaded; like profiles, those stay until the next reload.
  const moves = JSON.stringify(running.zones) !== JSON.stringify(wanted.zones);
  const formerZones = moves ? running.zones : reason === undefined ? running.formerZones : undefined;
  const profiles = reason === undefined ? running.profiles : mergeProfiles(needed, stillNamed);
  return { input: input(profiles, formerZones), reason, newProfiles };
}

function reloadReason(
  wanted: WantedConfiguration,
  running: RunningConfiguration,
  newProfiles: readonly Profile[],
): ReloadReason | undefined {
  if (running.closed) {
    return { reason: 'start', detail: 'the listeners are opened', origins: [] };
  }
  if (running.dataplane !== wanted.settings.paths.dataplane) {
    return { reason: 'software', detail: 'another version of the data plane', origins: [] };
  }
  if (JSON.stringify(running.zones) !== JSON.stringify(wanted.zones)) {
    return { reason: 'capacity', detail: 'more room for records', origins: [] };
  }
  if (running.listeners !== listenersText(wanted.listeners)) {
    const origins = wanted.listeners.map(({ origin }) => origin);
    return {
      reason: 'listener',
      detail: `listeners: ${wanted.listeners.map(listenerText).join(', ') || 'none'}`,
      origins,
    };
  }
  if (newProfiles.length > 0) {
    const origins: Origin[] = newProfiles.flatMap((profile) => profile.origins);
    return { reason: 'profile', detail: `new profiles: ${newProfiles.map(({ name }) => name).join(', ')}`, origins };
  }
  return undefined;
}

/** All of the listeners that nginx.conf depends on; the rest of them is data. */
export function listenersText(listeners: readonly Listener[]): string {
  return JSON.stringify(
    listeners.map((listener) => [
      listener.name,
      listener.scope,
      listener.protocol,
      listener.addresses,
      listener.port,
      listener.http2,
      listener.acceptProxyProtocol,
      listener.trustedProxies,
    ]),
  );
}

function listenerText({ name, protocol, addresses, port }: Listener): string {
  return `${name} (${protocol} ${addresses.join(' ')}:${port})`;
}
