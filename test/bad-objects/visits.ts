import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from './site.ts';
import { type Front, Visitor } from './visitor.ts';

const VISITORS = 8;

/** Milliseconds between requests while something changes. */
const PAUSE = 2;

export interface Visits {
  readonly asked: number;
  /** One sentence for each site that didn't answer 200 with its own name. */
  readonly failures: readonly string[];
  readonly milliseconds: number;
}

/** Asks every site once, some at a time. */
export async function visitAll(front: Front, sites: readonly Site[]): Promise<Visits> {
  const begin = performance.now();
  const failures: string[] = [];
  let asked = 0;
  const queue = sites.values();
  await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const visitor = new Visitor(front);
      for (const site of queue) {
        asked += 1;
        const failure = await failureOf(visitor, site);
        if (failure !== undefined) failures.push(failure);
      }
      visitor.close();
    }),
  );
  return { asked, failures, milliseconds: Math.round(performance.now() - begin) };
}

/** Asks site after site from now on, until `stop`, to see what happens while something changes. */
export function keepVisiting(front: Front, sites: readonly Site[]): { stop(): Promise<Visits> } {
  const begin = performance.now();
  const failures: string[] = [];
  let asked = 0;
  const stopped = new AbortController();
  const visitor = new Visitor(front);
  const visiting = (async () => {
    while (!stopped.signal.aborted) {
      const site = sites[(asked * 7) % sites.length];
      if (site === undefined) break;
      asked += 1;
      const failure = await failureOf(visitor, site);
      if (failure !== undefined) failures.push(failure);
      await delay(PAUSE);
    }
    visitor.close();
  })();
  return {
    async stop() {
      stopped.abort();
      await visiting;
      return { asked, failures, milliseconds: Math.round(performance.now() - begin) };
    },
  };
}

async function failureOf(visitor: Visitor, site: Site): Promise<string | undefined> {
  try {
    const { status, body } = await visitor.ask(site);
    if (status === 200 && body === site.name) return undefined;
    return `${site.host}: ${status} ${body.slice(0, 100)}`;
  } catch (error) {
    visitor.close();
    return `${site.host}: ${String(error)}`;
  }
}
