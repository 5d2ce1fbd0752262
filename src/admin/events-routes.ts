import Type from 'typebox';
import type { AdminApp, AdminContext } from './admin-app.ts';

/** Milliseconds that changes gather before they are told; a stream is for people and pages, not for counting. */
const GATHER = 200;
/** Milliseconds between signs of life, so that proxies don't close a quiet stream. */
const ALIVE = 15_000;

/** Server-sent events: `status` whenever it changed, and once at the beginning. */
export function eventsRoutes(app: AdminApp, { controller }: AdminContext): void {
  const streams = new Set<() => void>();
  app.addHook('preClose', async () => {
    for (const end of streams) end();
  });
  app.get(
    '/api/v1/events',
    {
      schema: {
        summary: 'Changes as they happen (server-sent events)',
        description: 'Event `status` holds the answer of /api/v1/status; event `applied` the outcome of one apply.',
        tags: ['state'],
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      const send = (event: string, data: unknown) => raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      let timer: NodeJS.Timeout | undefined;
      const sendStatus = () => {
        timer = undefined;
        send('status', controller.status());
      };
      const forget = controller.listen({
        changed: () => {
          timer ??= setTimeout(sendStatus, GATHER);
        },
        applied: (driver, { generation, seconds, applied, plan }) =>
          send('applied', { driver, generation, seconds, reloaded: applied.reloaded, summary: plan.summary }),
      });
      const alive = setInterval(() => raw.write(':\n\n'), ALIVE);
      const end = () => {
        streams.delete(end);
        forget();
        clearInterval(alive);
        clearTimeout(timer);
        raw.end();
      };
      streams.add(end);
      request.raw.once('close', end);
      sendStatus();
    },
  );
}
