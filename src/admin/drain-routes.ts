import Type, { type Static } from 'typebox';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';
import type { Drain } from '../controller/drain.ts';

/** How far a drain is. */
export const DrainView = Type.Object({
  draining: Type.Boolean(),
  since: Type.Optional(Type.String({ description: 'RFC 3339.' })),
  secondsLeft: Type.Optional(
    Type.Number({ description: 'Until clients have had the time to go elsewhere; 0: weir can be stopped.' }),
  ),
});
export type DrainView = Readonly<Static<typeof DrainView>>;

export function drainView(drain: Drain | undefined): DrainView {
  const state = drain?.state;
  if (state === undefined) return { draining: false };
  return { draining: true, since: state.since.toISOString(), secondsLeft: state.secondsLeft };
}

/** Before a weir is stopped: it goes on serving, and each answer is the last of its connection. */
export function drainRoutes(app: AdminApp, { drain }: AdminContext): void {
  app.post(
    '/api/v1/drain',
    {
      schema: {
        summary: 'Let clients go before weir is stopped: each answer is the last of its connection from now on',
        tags: ['state'],
        querystring: Type.Object({
          wait: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 600,
              description: 'Answer when `drain-delay` has passed since it began, at the latest after so many seconds.',
            }),
          ),
        }),
        response: { 200: DrainView, ...ADMIN_ERRORS },
      },
    },
    async (request) => {
      await drain?.begin();
      const { wait = 0 } = request.query;
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      if (wait > 0) await drain?.over(AbortSignal.any([gone.signal, AbortSignal.timeout(Math.ceil(wait * 1000))]));
      return drainView(drain);
    },
  );
  app.delete(
    '/api/v1/drain',
    { schema: { summary: 'Take a drain back', tags: ['state'], response: { 200: DrainView, ...ADMIN_ERRORS } } },
    async () => {
      await drain?.cancel();
      return drainView(drain);
    },
  );
}
