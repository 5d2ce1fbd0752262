import { assign, fromPromise, setup } from 'xstate';
import type { Applied, Driver, Plan } from '../drivers/driver.ts';
import { isEmptyDelta } from '../model/diff.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import { backOff } from '../lib/back-off.ts';
import { DirtyKeys } from './dirty-keys.ts';
import { TargetModel } from './target-model.ts';

/** One success, as it is told to whoever keeps state, counters and times. */
export interface ApplyOutcome {
  readonly applied: Applied;
  readonly plan: Plan;
  /** What is in force now, until the next change is planned, and which of its parts were changed by this apply. */
  readonly model: Model;
  readonly delta: ModelDelta;
  readonly generation: number;
  readonly seconds: number;
  /** `performance.now()` at which each of the changes in this apply had arrived (at most 1,000 are kept; another model is none). */
  readonly arrivals: readonly number[];
}

export interface DriverActorInput {
  readonly driver: Driver;
  /** The model to be in force now: the saved one, later the translator's. */
  readonly live: () => Model;
  readonly random: () => number;
  readonly onStarted?: () => void;
  readonly onApplied: (outcome: ApplyOutcome) => void;
  readonly onFailed: (error: Error, attempt: number) => void;
}

interface DriverContext extends DriverActorInput {
  readonly target: TargetModel;
  /** Changes that no plan has looked at yet. */
  readonly dirty: DirtyKeys;
  /** Changes that were planned but aren't in force, because applying them failed. */
  readonly owed: DirtyKeys;
  readonly started: boolean;
  /** Whether anything was ever in force by this actor; until then the driver is to compare everything. */
  readonly appliedOnce: boolean;
  readonly pausing: boolean;
  /** Newest generation heard of, the one being applied, and the one in force (-1: none). */
  readonly generation: number;
  readonly plannedGeneration: number;
  readonly appliedGeneration: number;
  readonly arrivals: number[];
  readonly plannedArrivals: readonly number[];
  readonly plan: Plan | undefined;
  readonly planDelta: ModelDelta | undefined;
  readonly attempts: number;
  readonly error: Error | undefined;
  /** Epoch milliseconds. */
  readonly failingSince: number | undefined;
  readonly busySince: number | undefined;
  readonly retryAt: number;
}

export type DriverActorEvent =
  /** These keys of the live model changed; `arrived` is when (performance.now()). */
  | { readonly type: 'dirty'; readonly delta: ModelDelta; readonly generation: number; readonly arrived: number }
  /** The live model is another one now. */
  | { readonly type: 'replaced'; readonly generation: number }
  /** Come to rest: the load balancer keeps what it has. What arrives meanwhile is remembered. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' };

const MOST_ARRIVALS = 1000;
/** After a failure, a change that may be the cure shortens the wait to this many milliseconds. */
const WAIT_AFTER_CHANGE = 1000;

/**
 * Keeps one load balancer in step with the model. Changes that come while it is busy are merged, however many they are;
 * a failed apply is tried again with all that is owed. Starts paused-until-first-model: nothing is dirty before there is one.
 */
export const driverMachine = setup({
  types: {} as { context: DriverContext; input: DriverActorInput; events: DriverActorEvent },
  actors: {
    start: fromPromise<void, { driver: Driver }>(({ input }) => input.driver.start()),
    apply: fromPromise<{ applied: Applied; seconds: number }, { context: DriverContext }>(
      async ({ input: { context } }) => {
        const began = performance.now();
        const applied = await context.driver.apply(context.target.model, context.planDelta);
        return { applied, seconds: (performance.now() - began) / 1000 };
      },
    ),
  },
  delays: {
    untilRetry: ({ context }) => Math.max(0, context.retryAt - Date.now()),
  },
  guards: {
    started: ({ context }) => context.started,
    pausing: ({ context }) => context.pausing,
    unplanned: ({ context }) => !context.dirty.isEmpty || !context.owed.isEmpty,
    planFailed: ({ context }) => context.error !== undefined,
    nothingToDo: ({ context }) => context.plan === undefined,
  },
  actions: {
    merge: assign(({ context, event }) => {
      if (event.type !== 'dirty' && event.type !== 'replaced') return {};
      if (event.type === 'replaced') context.dirty.addEverything();
      else {
        context.dirty.add(event.delta);
        if (context.arrivals.length < MOST_ARRIVALS) context.arrivals.push(event.arrived);
      }
      return { generation: event.generation, busySince: context.busySince ?? Date.now() };
    }),
    plan: assign(({ context }) => makePlan(context)),
    failed: assign(({ context }, { error }: { error: unknown }) => {
      const attempts = context.attempts + 1;
      return {
        attempts,
        error: error instanceof Error ? error : new Error(String(error)),
        failingSince: context.failingSince ?? Date.now(),
        retryAt: Date.now() + backOff(attempts, context.random),
      };
    }),
    tellFailure: ({ context }) => context.onFailed(context.error!, context.attempts),
    retrySooner: assign(({ context }) => ({ retryAt: Math.min(context.retryAt, Date.now() + WAIT_AFTER_CHANGE) })),
    succeeded: assign(({ context }) => {
      context.owed.clear();
      return {
        appliedOnce: true,
        appliedGeneration: context.plannedGeneration,
        attempts: 0,
        error: undefined,
        failingSince: undefined,
        busySince: context.dirty.isEmpty ? undefined : Date.now(),
      };
    }),
    nothingChanged: assign(({ context }) => ({
      appliedGeneration: context.plannedGeneration,
      attempts: 0,
      error: undefined,
      failingSince: undefined,
      busySince: undefined,
    })),
  },
}).createMachine({
  id: 'driver',
  context: ({ input }) => ({
    ...input,
    target: new TargetModel(),
    dirty: new DirtyKeys(),
    owed: new DirtyKeys(),
    started: false,
    appliedOnce: false,
    pausing: false,
    generation: -1,
    plannedGeneration: -1,
    appliedGeneration: -1,
    arrivals: [],
    plannedArrivals: [],
    plan: undefined,
    planDelta: undefined,
    attempts: 0,
    error: undefined,
    failingSince: undefined,
    busySince: undefined,
    retryAt: 0,
  }),
  on: {
    dirty: { actions: 'merge' },
    replaced: { actions: 'merge' },
    pause: { actions: assign({ pausing: true }) },
    resume: { actions: assign({ pausing: false }) },
  },
  initial: 'starting',
  states: {
    starting: {
      invoke: {
        src: 'start',
        input: ({ context }) => ({ driver: context.driver }),
        onDone: {
          target: 'idle',
          actions: [
            assign({ started: true, attempts: 0, error: undefined, failingSince: undefined }),
            ({ context }) => context.onStarted?.(),
          ],
        },
        onError: {
          target: 'backingOff',
          actions: [{ type: 'failed', params: ({ event }) => ({ error: event.error }) }, 'tellFailure'],
        },
      },
    },
    idle: {
      always: [
        { guard: 'pausing', target: 'paused' },
        { guard: 'unplanned', target: 'planning' },
      ],
    },
    planning: {
      entry: 'plan',
      always: [
        { guard: 'planFailed', target: 'backingOff', actions: 'tellFailure' },
        { guard: 'nothingToDo', target: 'idle', actions: 'nothingChanged' },
        { target: 'applying' },
      ],
    },
    applying: {
      invoke: {
        src: 'apply',
        input: ({ context }) => ({ context }),
        onDone: {
          target: 'idle',
          actions: [({ context, event }) => context.onApplied(outcome(context, event.output)), 'succeeded'],
        },
        onError: {
          target: 'backingOff',
          actions: [{ type: 'failed', params: ({ event }) => ({ error: event.error }) }, 'tellFailure'],
        },
      },
    },
    backingOff: {
      always: { guard: 'pausing', target: 'paused' },
      on: {
        dirty: { target: 'backingOff', reenter: true, actions: ['merge', 'retrySooner'] },
        replaced: { target: 'backingOff', reenter: true, actions: ['merge', 'retrySooner'] },
      },
      after: { untilRetry: [{ guard: 'started', target: 'planning' }, { target: 'starting' }] },
    },
    paused: {
      on: {
        resume: [
          { guard: 'started', target: 'idle', actions: assign({ pausing: false }) },
          { target: 'starting', actions: assign({ pausing: false }) },
        ],
      },
    },
  },
});

/** Catches up with the live model and asks the driver what that means. A driver that throws here has failed like any other. */
function makePlan(context: DriverContext): Partial<DriverContext> {
  const { everything, delta } = context.dirty.take();
  const changed = everything ? context.target.replace(context.live()) : context.target.advance(context.live(), delta);
  context.owed.add(changed);
  const planned = {
    plannedGeneration: context.generation,
    plannedArrivals: context.attempts > 0 ? [...context.plannedArrivals, ...context.arrivals] : context.arrivals,
    arrivals: [],
    error: undefined,
  };
  if (context.appliedOnce && isEmptyDelta(context.owed.delta)) return { ...planned, plan: undefined };
  const planDelta = context.appliedOnce ? context.owed.delta : undefined;
  try {
    return { ...planned, plan: context.driver.plan(context.target.model, planDelta), planDelta };
  } catch (error) {
    const attempts = context.attempts + 1;
    return {
      ...planned,
      plan: undefined,
      attempts,
      error: error instanceof Error ? error : new Error(String(error)),
      failingSince: context.failingSince ?? Date.now(),
      retryAt: Date.now() + backOff(attempts, context.random),
    };
  }
}

function outcome(context: DriverContext, output: { applied: Applied; seconds: number }): ApplyOutcome {
  return {
    ...output,
    plan: context.plan!,
    model: context.target.model,
    delta: context.owed.delta,
    generation: context.plannedGeneration,
    arrivals: context.plannedArrivals,
  };
}
