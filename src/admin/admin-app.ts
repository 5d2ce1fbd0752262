import fastifySwagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { Controller } from '../controller/controller.ts';
import type { Drain } from '../controller/drain.ts';
import type { RegexEngine } from '../explain/regex-engine.ts';
import { type AccessOptions, guardAccess } from './access.ts';
import { diagnosticsRoutes } from './diagnostics-routes.ts';
import { drainRoutes } from './drain-routes.ts';
import { eventsRoutes } from './events-routes.ts';
import { explainRoutes } from './explain-routes.ts';
import { healthRoutes } from './health-routes.ts';
import type { Metrics } from './metrics.ts';
import { modelRoutes } from './model-routes.ts';
import { statusRoutes } from './status-routes.ts';

export type AdminApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface AdminContext {
  readonly controller: Controller;
  readonly metrics: Metrics;
  /** What comes before the end. */
  readonly drain?: Drain;
  /** The data plane's own engine for regular expressions. */
  readonly regex?: RegexEngine;
  /** Told of each fault in weir that made an answer fail; the answer itself shows nothing of it. */
  readonly onFault?: (error: Error, url: string) => void;
}

/** The admin server, not yet listening: health, metrics and the REST API, with its own OpenAPI document. */
export async function buildAdminApp(context: AdminContext, access: AccessOptions): Promise<AdminApp> {
  const app = fastify({ forceCloseConnections: 'idle' }).withTypeProvider<TypeBoxTypeProvider>();
  app.setErrorHandler(async (error: Error & { statusCode?: number; code?: string }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) context.onFault?.(error, request.url);
    return reply.code(status).send({
      code: error.code ?? 'internal',
      message: status < 500 ? error.message : 'A fault in weir; its log says more.',
    });
  });
  app.setNotFoundHandler(async (_request, reply) =>
    reply.code(404).send({ code: 'not-found', message: 'Nothing is here. /api/v1/openapi.json lists what there is.' }),
  );
  guardAccess(app as FastifyInstance, access);
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'weir admin API', description: 'What weir serves, how it is, and why.', version: 'v1' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
  });
  await app.register(async (scope) => {
    const typed = scope.withTypeProvider<TypeBoxTypeProvider>() as AdminApp;
    healthRoutes(typed, context);
    statusRoutes(typed, context);
    drainRoutes(typed, context);
    modelRoutes(typed, context);
    diagnosticsRoutes(typed, context);
    explainRoutes(typed, context);
    eventsRoutes(typed, context);
    typed.get('/api/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
  await app.ready();
  return app;
}
