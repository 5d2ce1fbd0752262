import Type from 'typebox';
import { Status } from '../controller/status.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';
import { DrainView, drainView } from './drain-routes.ts';

export const StatusAnswer = Type.Interface([Status], {
  drain: DrainView,
  settled: Type.Optional(Type.Boolean({ description: 'With `wait`: whether all is in force that the sources held.' })),
});

/** How the program is, and waiting until what the sources hold is in force. */
export function statusRoutes(app: AdminApp, { controller, drain }: AdminContext): void {
  app.get(
    '/api/v1/status',
    {
      schema: {
        summary: 'Generations, drivers, reloads and quarantined objects',
        tags: ['state'],
        querystring: Type.Object({
          wait: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 600,
              description:
                'Answer when what the sources hold now is in force in every driver, at the latest after so many seconds.',
            }),
          ),
        }),
        response: { 200: StatusAnswer, ...ADMIN_ERRORS },
      },
    },
    async (request) => {
      const { wait } = request.query;
      if (wait === undefined) return { ...controller.status(), drain: drainView(drain) };
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      const settled = await controller.settle(
        AbortSignal.any([gone.signal, AbortSignal.timeout(Math.ceil(wait * 1000))]),
      );
      return { ...controller.status(), drain: drainView(drain), settled };
    },
  );
}
