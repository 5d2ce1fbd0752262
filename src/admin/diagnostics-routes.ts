import Type from 'typebox';
import { Finding, Severity } from '../diagnostics/finding.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';
import { Page, PageQuery, pageOf } from './page.ts';

/** The findings, each placed in its file where the source can. */
export function diagnosticsRoutes(app: AdminApp, { controller }: AdminContext): void {
  app.get(
    '/api/v1/diagnostics',
    {
      schema: {
        summary: 'Findings about objects',
        tags: ['state'],
        querystring: Type.Interface([PageQuery], {
          severity: Type.Optional(Severity),
          code: Type.Optional(Type.String()),
          kind: Type.Optional(Type.String()),
          namespace: Type.Optional(Type.String()),
          name: Type.Optional(Type.String()),
        }),
        response: { 200: Page(Finding), ...ADMIN_ERRORS },
      },
    },
    async ({ query }) => {
      const { severity, code, kind, namespace, name } = query;
      const findings = controller
        .findings()
        .filter(
          (finding) =>
            (severity === undefined || finding.severity === severity) &&
            (code === undefined || finding.code === code) &&
            (kind === undefined || finding.object.kind === kind) &&
            (namespace === undefined || finding.object.namespace === namespace) &&
            (name === undefined || finding.object.name === name),
        );
      const page = pageOf(findings, query);
      return { ...page, items: await Promise.all(page.items.map((finding) => controller.locate(finding))) };
    },
  );
}
