import type { ControllerListener } from '../controller/controller.ts';
import { giveMemoryBack } from './give-memory-back.ts';

/** Milliseconds after the start is over: whatever waited for it comes first. */
const AFTER_START = 1000;

/**
 * Has V8 give memory back when the start is over, which leaves several times as much garbage as data: since little is
 * allocated from then on, V8 sees no reason to collect it. Takes one pause of the control plane, never of the traffic.
 * `isOver`: whether what the source holds is in force.
 */
export function leanHeap(isOver: () => boolean, giveBack: () => void = giveMemoryBack): ControllerListener {
  let timer: NodeJS.Timeout | undefined;
  return {
    changed() {
      if (timer === undefined && isOver()) timer = setTimeout(giveBack, AFTER_START).unref();
    },
  };
}
