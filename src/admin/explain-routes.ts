import Type from 'typebox';
import { explain } from '../explain/explain.ts';
import { Explanation } from '../explain/explanation.ts';
import { headerFromText } from '../explain/header-from-text.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';

/** Why a URL goes where it goes. */
export function explainRoutes(app: AdminApp, { controller, regex }: AdminContext): void {
  app.get(
    '/api/v1/explain',
    {
      schema: {
        summary: 'Which rule serves a request, which lost and why, and which endpoints get it',
        tags: ['model'],
        querystring: Type.Object({
          url: Type.String({ description: 'https://HOST[:PORT]/PATH' }),
          method: Type.Optional(Type.String()),
          header: Type.Optional(
            Type.Union([Type.String(), Type.Array(Type.String())], {
              description: '`name:value`; may be given several times.',
            }),
          ),
          listener: Type.Optional(
            Type.String({ description: 'Name of the listener, where the port doesn’t tell it.' }),
          ),
        }),
        response: { 200: Explanation, ...ADMIN_ERRORS },
      },
    },
    async ({ query }, reply) => {
      const { url, method, header = [], listener } = query;
      try {
        const request = {
          url,
          headers: [header].flat().map(headerFromText),
          ...(method === undefined ? {} : { method }),
          ...(listener === undefined ? {} : { listener }),
        };
        // Where nginx can't be asked just now, an approximate answer that says so is better than none.
        return await explain(controller.model, request, regex).catch((error: unknown) => {
          if (!(error instanceof CodedError) || !error.code.startsWith('WEIR_NGINX')) throw error;
          return explain(controller.model, request);
        });
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        return reply
          .code(400)
          .send({ code: error.code, message: [error.message, error.remedy].filter(Boolean).join('. ') });
      }
    },
  );
}
