import Type, { type Static } from 'typebox';
import { Status } from '../controller/status.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';

/** Milliseconds that changes gather before they are told; a stream is for people and pages, not for counting. */
const GATHER = 200;
/** Milliseconds between signs of life, so that proxies don't close a quiet stream. */
const ALIVE = 15_000;

/** One apply of one driver. */
export const AppliedEvent = Type.Object({
  driver: Type.String(),
  generation: Type.Integer({ description: 'The generation that is in force now.' }),
  seconds: Type.Number({ description: 'How long the apply took.' }),
  reloaded: Type.Boolean(),
  summary: Type.String({ description: 'What changed.' }),
});
export type AppliedEvent = Readonly<Static<typeof AppliedEvent>>;

/** An event of the stream: its name, and its data as they are once parsed. */
export const AdminEvent = Type.Union([
  Type.Object({ event: Type.Literal('status'), data: Status }),
  Type.Object({ event: Type.Literal('applied'), data: AppliedEvent }),
]);
export type AdminEvent = Readonly<Static<typeof AdminEvent>>;

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
        response: {
          200: { description: 'Each event, as an object.', content: { 'text/event-stream': { schema: AdminEvent } } },
          ...ADMIN_ERRORS,
        },
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
      const send = ({ event, data }: AdminEvent) => raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      let timer: NodeJS.Timeout | undefined;
      const sendStatus = () => {
        timer = undefined;
        send({ event: 'status', data: controller.status() });
      };
      const forget = controller.listen({
        changed: () => {
          timer ??= setTimeout(sendStatus, GATHER);
        },
        applied: (driver, { generation, seconds, applied, plan }) => {
          const data = { driver, generation, seconds, reloaded: applied.reloaded, summary: plan.summary };
          send({ event: 'applied', data });
        },
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
