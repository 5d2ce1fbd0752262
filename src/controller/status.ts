import Type, { type Static } from 'typebox';
import { Finding } from '../diagnostics/finding.ts';
import { ObjectRef } from '../model/origin.ts';

export const ReloadReasonView = Type.Object({
  at: Type.String({ description: 'RFC 3339.' }),
  driver: Type.String(),
  reason: Type.String({
    description: 'One of a closed set, as in the metric: start, listener, profile, capacity, software.',
  }),
  detail: Type.String(),
  objects: Type.Array(ObjectRef),
});
export type ReloadReasonView = Readonly<Static<typeof ReloadReasonView>>;

export const DriverStatus = Type.Object({
  name: Type.String(),
  state: Type.Enum(['starting', 'idle', 'planning', 'applying', 'backingOff', 'paused']),
  healthy: Type.Boolean({ description: 'Whether the load balancer itself is well.' }),
  appliedGeneration: Type.Integer({ description: '0: nothing is in force yet.' }),
  attempts: Type.Integer({ description: 'Failed tries in a row.' }),
  error: Type.Optional(Type.String({ description: 'Why the last try failed.' })),
  failingSince: Type.Optional(Type.String({ description: 'RFC 3339.' })),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'What the driver tells about its load balancer.' }),
});
export type DriverStatus = Readonly<Static<typeof DriverStatus>>;

/** What `/api/v1/status` and `weir status` show. */
export const Status = Type.Object({
  state: Type.Enum(['syncing', 'running', 'degraded', 'stopping']),
  ready: Type.Boolean(),
  version: Type.String(),
  started: Type.String({ description: 'RFC 3339.' }),
  generation: Type.Integer({ description: 'Raised by every change of the model.' }),
  appliedGeneration: Type.Integer({ description: 'The newest generation that is in force in every driver.' }),
  source: Type.Object({
    name: Type.String(),
    synced: Type.Boolean({ description: 'Whether everything that existed at start was read.' }),
    healthy: Type.Boolean({ description: 'Whether what was read is what is there now.' }),
    error: Type.Optional(Type.String()),
    problems: Type.Array(Type.String(), { description: 'Why it isn’t healthy.' }),
    unread: Type.Object(
      { count: Type.Integer(), files: Type.Array(Type.String(), { description: 'The first 20.' }) },
      {
        description:
          'Files that aren’t read in full as they stand: what they said before stays, or the rest of them counts.',
      },
    ),
  }),
  model: Type.Object({
    origin: Type.Enum(['none', 'saved', 'source'], { description: 'Where the model in force comes from.' }),
    hosts: Type.Integer(),
    routes: Type.Integer(),
    backends: Type.Integer(),
    certificates: Type.Integer(),
  }),
  findings: Type.Object({ errors: Type.Integer(), warnings: Type.Integer(), infos: Type.Integer() }),
  reloads: Type.Integer({ description: 'Reloads of load balancers since weir started.' }),
  lastReloadReasons: Type.Array(ReloadReasonView, { description: 'Newest first, at most 10.' }),
  drivers: Type.Array(DriverStatus),
  quarantined: Type.Array(Finding, { description: 'Objects left out because a load balancer refused them.' }),
  savedState: Type.Object({
    pending: Type.Integer({ description: 'Parts that are in force but not yet on disk.' }),
    error: Type.Optional(
      Type.String({ description: 'Why they, or the objects of broken manifests, can’t be saved, or not in full.' }),
    ),
  }),
});
export type Status = Readonly<Static<typeof Status>>;
