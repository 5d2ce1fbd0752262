import type { Route } from '../model/route.ts';

/** Time-outs, retries, limits and sessions of a route, for people. Only what the route itself says. */
export function settingSentences(route: Route): string[] {
  return [...timeoutSentences(route), ...retrySentence(route), ...bodySentence(route), ...affinitySentence(route)];
}

function timeoutSentences({ timeouts = {} }: Route): string[] {
  const names: readonly (readonly [string, number | undefined])[] = [
    ['to connect', timeouts.connect],
    ['between two writes to the backend', timeouts.send],
    ['between two reads from the backend', timeouts.read],
    ['for the whole request', timeouts.request],
    ['for one try', timeouts.backendRequest],
  ];
  return names.flatMap(([what, seconds]) => {
    if (seconds === undefined) return [];
    return [seconds === 0 ? `No time-out ${what}.` : `Time-out ${what}: ${seconds} s.`];
  });
}

function retrySentence({ retry }: Route): string[] {
  if (retry === undefined) return [];
  if (retry.tries === 1) return ['Nothing is tried a second time.'];
  const tries = retry.tries === 0 ? 'Every endpoint is tried' : `Up to ${retry.tries} tries`;
  const causes = [...retry.on, ...(retry.statuses ?? []).map((status) => `status ${status}`)].join(', ');
  const pause = retry.backoffSeconds === undefined ? '' : `, ${retry.backoffSeconds} s or more apart`;
  return [`${tries}${causes === '' ? '' : ` (on ${causes})`}${pause}.`];
}

function bodySentence({ bodyLimit }: Route): string[] {
  if (bodyLimit === undefined) return [];
  return [
    bodyLimit === 0 ? 'Request bodies may be of any size.' : `A request body larger than ${bodyLimit} bytes gets 413.`,
  ];
}

function affinitySentence({ affinity }: Route): string[] {
  if (affinity === undefined) return [];
  return [`A session stays with its endpoint by the ${affinity.kind} ${affinity.name} (${affinity.mode}).`];
}
