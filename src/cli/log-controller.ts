import type { Logger } from 'pino';
import type { Controller, ControllerListener } from '../controller/controller.ts';

/** Milliseconds that applies gather before one line tells of them all. */
const GATHER = 1000;

/** Writes what the controller does to the log: failures at once, applies at most once a second. */
export function logController(controller: Controller, log: Logger): ControllerListener {
  const failing = new Map<string, string>();
  const gathered = new Map<string, { applies: number; generation: number; slowest: number }>();
  let timer: NodeJS.Timeout | undefined;
  const tellApplies = () => {
    timer = undefined;
    for (const [driver, { applies, generation, slowest }] of gathered) {
      const { findings } = controller.status();
      log.info({ driver, generation, applies, slowestMs: Math.round(slowest * 1000), ...findings }, 'in force');
    }
    gathered.clear();
  };
  return {
    applied(driver, { generation, seconds, applied }) {
      if (failing.delete(driver)) log.info({ driver }, 'works again');
      const { applies = 0, slowest = 0 } = gathered.get(driver) ?? {};
      gathered.set(driver, { applies: applies + 1, generation, slowest: Math.max(slowest, seconds) });
      timer ??= setTimeout(tellApplies, applies === 0 && generation <= 2 ? 0 : GATHER).unref();
      for (const { code, object, message } of applied.quarantined)
        log.warn({ driver, code, object, message }, 'left out');
    },
    failed(driver, error, attempt) {
      // The same failure again and again is one line, then silence until it changes.
      if (failing.get(driver) === error.message) return;
      failing.set(driver, error.message);
      const { code, remedy } = error as { readonly code?: unknown; readonly remedy?: unknown };
      log.error({ driver, attempt, code, remedy }, `load balancer failed, will be tried again: ${error.message}`);
    },
    synced: () => log.info(controller.status().model, 'source read'),
    transition: (actor, state) => log.debug({ actor, state }, 'state'),
  };
}
