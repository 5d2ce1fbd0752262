import Type from 'typebox';
import type { AdminApp, AdminContext } from './admin-app.ts';

const text = (description: string) => ({ description, content: { 'text/plain': { schema: Type.String() } } });

/** For probes and Prometheus. */
export function healthRoutes(app: AdminApp, { controller, metrics }: AdminContext): void {
  app.get(
    '/healthz',
    { schema: { summary: 'The process is alive', tags: ['health'], response: { 200: text('`ok`') } } },
    async (_request, reply) => reply.type('text/plain').send('ok\n'),
  );
  app.get(
    '/readyz',
    {
      schema: {
        summary: 'The local data plane serves a complete model, from disk or from a first full sync',
        tags: ['health'],
        response: { 200: text('`ready`'), 503: text('`not ready`') },
      },
    },
    async (_request, reply) => {
      const ready = controller.ready();
      return reply
        .code(ready ? 200 : 503)
        .type('text/plain')
        .send(ready ? 'ready\n' : 'not ready\n');
    },
  );
  app.get(
    '/metrics',
    {
      schema: {
        summary: 'Prometheus metrics',
        tags: ['health'],
        response: { 200: text('The text format of Prometheus.') },
      },
    },
    async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.text()),
  );
}
