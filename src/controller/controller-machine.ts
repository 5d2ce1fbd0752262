import { type ActorRefFrom, assign, enqueueActions, setup } from 'xstate';
import type { Driver } from '../drivers/driver.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import { type ApplyOutcome, type DriverActorInput, driverMachine } from './driver-machine.ts';

export interface ControllerActorInput {
  readonly drivers: readonly Driver[];
  readonly live: () => Model;
  readonly random: () => number;
  readonly onApplied: (driver: string, outcome: ApplyOutcome) => void;
  readonly onFailed: (driver: string, error: Error, attempt: number) => void;
}

interface ControllerContext {
  readonly input: ControllerActorInput;
  readonly drivers: Readonly<Record<string, ActorRefFrom<typeof driverMachine>>>;
  /** Raised by each change of the model. */
  readonly generation: number;
  readonly sourceHealthy: boolean;
  /** Drivers that fail, or whose load balancer isn't well. */
  readonly ailing: ReadonlySet<string>;
}

export type ControllerActorEvent =
  | { readonly type: 'changed'; readonly delta: ModelDelta; readonly arrived: number }
  /** Another model is the live one: the saved one at start, the source's when it is complete. */
  | { readonly type: 'replaced' }
  | { readonly type: 'synced' }
  | { readonly type: 'source.health'; readonly healthy: boolean }
  | { readonly type: 'driver.added'; readonly driver: Driver }
  | { readonly type: 'driver.removed'; readonly driver: string }
  | { readonly type: 'driver.health'; readonly driver: string; readonly healthy: boolean }
  | { readonly type: 'stop' };

/** Numbers the changes and hands them to the drivers, each at its own pace; knows whether all is well. */
export const controllerMachine = setup({
  types: {} as { context: ControllerContext; input: ControllerActorInput; events: ControllerActorEvent },
  actors: { driver: driverMachine },
  guards: { ailing: ({ context }) => !context.sourceHealthy || context.ailing.size > 0 },
  actions: {
    spread: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'changed' && event.type !== 'replaced') return;
      const generation = context.generation + 1;
      enqueue.assign({ generation });
      for (const driver of Object.values(context.drivers)) {
        if (event.type === 'changed') {
          enqueue.sendTo(driver, { type: 'dirty', delta: event.delta, generation, arrived: event.arrived });
        } else enqueue.sendTo(driver, { type: 'replaced', generation });
      }
    }),
    addDriver: assign(({ context, event, spawn, self }) => {
      if (event.type !== 'driver.added') return {};
      const { driver } = event;
      const actor = spawn('driver', { id: driver.name, input: driverInput(driver, context.input, self) });
      return { drivers: { ...context.drivers, [driver.name]: actor } };
    }),
    /** One that comes late learns that there is a model. */
    catchUp: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'driver.added' || context.generation === 0) return;
      const driver = context.drivers[event.driver.name];
      if (driver !== undefined) enqueue.sendTo(driver, { type: 'replaced', generation: context.generation });
    }),
    removeDriver: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'driver.removed') return;
      const { [event.driver]: gone, ...drivers } = context.drivers;
      if (gone === undefined) return;
      enqueue.stopChild(gone);
      const ailing = new Set(context.ailing);
      ailing.delete(event.driver);
      enqueue.assign({ drivers, ailing });
    }),
    noteHealth: assign(({ context, event }) => {
      if (event.type === 'source.health') return { sourceHealthy: event.healthy };
      if (event.type !== 'driver.health' || context.drivers[event.driver] === undefined) return {};
      if (context.ailing.has(event.driver) === !event.healthy) return {};
      const ailing = new Set(context.ailing);
      if (event.healthy) ailing.delete(event.driver);
      else ailing.add(event.driver);
      return { ailing };
    }),
    pauseDrivers: enqueueActions(({ context, enqueue }) => {
      for (const driver of Object.values(context.drivers)) enqueue.sendTo(driver, { type: 'pause' });
    }),
  },
}).createMachine({
  id: 'controller',
  context: ({ input, spawn, self }) => ({
    input,
    drivers: Object.fromEntries(
      input.drivers.map((driver) => [
        driver.name,
        spawn('driver', { id: driver.name, input: driverInput(driver, input, self) }),
      ]),
    ),
    generation: 0,
    sourceHealthy: true,
    ailing: new Set<string>(),
  }),
  on: {
    changed: { actions: 'spread' },
    replaced: { actions: 'spread' },
    'driver.added': { actions: ['addDriver', 'catchUp'] },
    'driver.removed': { actions: 'removeDriver' },
    'source.health': { actions: 'noteHealth' },
    'driver.health': { actions: 'noteHealth' },
    stop: '.stopping',
  },
  initial: 'syncing',
  states: {
    /** The source hasn't told everything yet; a saved model may be in force. */
    syncing: { on: { synced: 'running' } },
    running: { always: { guard: 'ailing', target: 'degraded' } },
    degraded: {
      always: { guard: ({ context }) => context.sourceHealthy && context.ailing.size === 0, target: 'running' },
    },
    /** Drivers finish what they are at and rest. */
    stopping: { entry: 'pauseDrivers', on: { changed: {}, replaced: {} } },
  },
});

function driverInput(
  driver: Driver,
  input: ControllerActorInput,
  self: { send(event: ControllerActorEvent): void },
): DriverActorInput {
  const health = (healthy: boolean) => self.send({ type: 'driver.health', driver: driver.name, healthy });
  return {
    driver,
    live: input.live,
    random: input.random,
    onApplied: (outcome) => {
      health(true);
      input.onApplied(driver.name, outcome);
    },
    onFailed: (error, attempt) => {
      health(false);
      input.onFailed(driver.name, error, attempt);
    },
  };
}
