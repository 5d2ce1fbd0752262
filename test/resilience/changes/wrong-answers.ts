import type { Change } from './next-change.ts';
import { rightAnswers, rightCertificate } from './host-state.ts';
import type { Observation } from './prober.ts';

/**
 * What a client saw that it must not see: before the acknowledgement anything but the old and the new answer, after it
 * anything but the new one. `own`: fingerprints of all certificates that were ever made for the host.
 */
export function wrongAnswers(
  { before, after, kind }: Change,
  observations: readonly Observation[],
  acknowledged: number,
  own: ReadonlySet<string>,
): readonly string[] {
  return observations.flatMap(({ lane, path, answer, began }) => {
    const late = began >= acknowledged;
    const seen = path === undefined && !answer.startsWith('failed') && !own.has(answer) ? 'default' : answer;
    const tls = !lane.startsWith('http ');
    const right = late ? allowed(after, path, tls) : allowed(before, path, tls).union(allowed(after, path, tls));
    if (right.has(seen)) return [];
    const when = late
      ? `sent ${(began - acknowledged).toFixed(1)} ms after the acknowledgement`
      : `sent ${(acknowledged - began).toFixed(1)} ms before the acknowledgement`;
    return [`${kind} of ${after.host}, ${lane} ${path ?? ''}, ${when}: ${seen} instead of ${[...right].join(' or ')}`];
  });
}

function allowed(state: Change['after'], path: Observation['path'], tls: boolean): ReadonlySet<string> {
  return path === undefined ? new Set([rightCertificate(state) ?? 'default']) : rightAnswers(state, path, tls);
}
