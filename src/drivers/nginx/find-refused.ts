import type { Listener } from '../../model/listener.ts';
import type { ConfigurationInput } from './conf/configuration.ts';
import type { Profile } from './conf/profile.ts';
import { listenersText } from './configuration-plan.ts';
import { acceptUnits, type Complaint, type Refused } from './supervisor/accept-units.ts';
import type { NginxComplaint } from './supervisor/nginx-message.ts';
import type { RunningConfiguration } from './supervisor/running-configuration.ts';

export interface RefusedParts {
  readonly listeners: readonly Refused<Listener>[];
  readonly profiles: readonly Refused<Profile>[];
}

/** What nginx's own test said of a configuration, and the text that its line numbers are of; undefined: it passes. */
export type ConfigurationTest = (
  input: ConfigurationInput,
) => Promise<{ readonly complaint: NginxComplaint; readonly text: string } | undefined>;

/**
 * Which listeners and profiles make nginx refuse a configuration. A run of `nginx -t` costs a fixed part and one for each
 * profile, most of which are running already: only new ones are searched, in configurations that hold little else.
 * `failure`: what was said of the whole. Undefined: it is refused even without any of them.
 */
export async function findRefused(
  input: ConfigurationInput,
  failure: { readonly complaint: NginxComplaint; readonly text: string },
  builtIn: readonly Profile[],
  running: RunningConfiguration | undefined,
  test: ConfigurationTest,
): Promise<RefusedParts | undefined> {
  const always = new Set(builtIn.map(({ name }) => name));
  const basis = input.profiles.filter(({ name }) => always.has(name));
  const others = input.profiles.filter(({ name }) => !always.has(name));
  if ((await test({ ...input, listeners: [], profiles: basis })) !== undefined) return undefined;

  const openListeners = knownListeners(running);
  const listeners = await acceptUnits<Listener>(
    input.listeners,
    async (some) => whyOf(await test({ ...input, listeners: some, profiles: basis })),
    new Set(input.listeners.filter((listener) => openListeners.has(listenersText([listener])))),
  );

  const closed = new Set(listeners.map(({ unit }) => unit));
  const served = input.listeners.filter((listener) => !closed.has(listener));
  const names = new Set(running?.profiles.map(({ name }) => name));
  const profiles = await acceptUnits<Profile>(
    others,
    async (some) => {
      const failed = await test({ ...input, listeners: served, profiles: [...basis, ...some] });
      return failed && blame(failed, others);
    },
    new Set(others.filter(({ name }) => names.has(name))),
    closed.size === 0 ? blame(failure, others) : undefined,
  );
  return { listeners, profiles };
}

function whyOf(failed: Awaited<ReturnType<ConfigurationTest>>): Complaint<Listener> | undefined {
  return failed && { why: failed.complaint.message };
}

/** As texts of single listeners. */
function knownListeners(running: RunningConfiguration | undefined): ReadonlySet<string> {
  if (running === undefined || running.listeners === '') return new Set();
  const listeners = JSON.parse(running.listeners) as readonly unknown[];
  return new Set(listeners.map((listener) => JSON.stringify([listener])));
}

/** The profile in whose location the line is that nginx names. */
function blame(
  { complaint: { message, line }, text }: { readonly complaint: NginxComplaint; readonly text: string },
  profiles: readonly Profile[],
): Complaint<Profile> {
  if (line === undefined) return { why: message };
  const heads = text.split('\n').slice(0, line).reverse();
  const head = heads.find((candidate) => /^ *(?:location|server) /u.test(candidate));
  return {
    why: message,
    blamed: profiles.find(({ name, location = name }) => head?.trim() === `location "${location}" {`),
  };
}
