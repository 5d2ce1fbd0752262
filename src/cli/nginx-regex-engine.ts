import type { NginxDriver } from '../drivers/nginx/nginx-driver.ts';
import type { RegexEngine } from '../explain/regex-engine.ts';

/** Tries patterns in the running nginx, whose engine is the one that counts. It anchors every pattern where the text begins. */
export function nginxRegexEngine(driver: NginxDriver): RegexEngine {
  return async ({ pattern, subject, ignoreCase, anchored }) => {
    const whole = anchored ? pattern : `[\\s\\S]*?(?:${pattern})`;
    const [answer] = await driver.matchPatterns([{ pattern: whole, subject, ignoreCase }]);
    if (typeof answer?.error === 'string') return { matched: false, error: answer.error };
    if (answer?.matched !== true) return { matched: false };
    return { matched: true, captures: (answer.captures ?? []) as readonly string[] };
  };
}
