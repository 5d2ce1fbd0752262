import Type from 'typebox';
import { compareBackends, compareCertificates, compareHosts } from '../model/order.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_ERRORS } from './admin-error.ts';
import { Page, PageQuery, pageOf } from './page.ts';
import { BackendView, CertificateView, HostView, backendView, certificateView, hostView } from './views.ts';

const namespace = Type.Optional(Type.String({ description: 'Only what objects of this namespace asked for.' }));

/** The model that the drivers work towards, in canonical order. */
export function modelRoutes(app: AdminApp, { controller }: AdminContext): void {
  app.get(
    '/api/v1/routes',
    {
      schema: {
        summary: 'Hosts with their routes',
        tags: ['model'],
        querystring: Type.Interface([PageQuery], {
          host: Type.Optional(
            Type.String({ description: 'Only this host, as it is written (`*.shop.example`, `*`).' }),
          ),
          namespace,
        }),
        response: { 200: Page(HostView), ...ADMIN_ERRORS },
      },
    },
    async ({ query }) => {
      const hosts = [...controller.model.hosts.values()]
        .filter((host) => query.host === undefined || host.hostname === query.host.toLowerCase())
        .filter((host) => query.namespace === undefined || host.origins.some(within(query.namespace)));
      const page = pageOf(hosts.sort(compareHosts), query);
      return { ...page, items: page.items.map(hostView) };
    },
  );
  app.get(
    '/api/v1/backends',
    {
      schema: {
        summary: 'Backends with their endpoints',
        tags: ['model'],
        querystring: Type.Interface([PageQuery], { namespace }),
        response: { 200: Page(BackendView), ...ADMIN_ERRORS },
      },
    },
    async ({ query }) => {
      const backends = [...controller.model.backends.values()].filter(
        ({ origin }) => query.namespace === undefined || within(query.namespace)(origin),
      );
      const page = pageOf(backends.sort(compareBackends), query);
      return { ...page, items: page.items.map(backendView) };
    },
  );
  app.get(
    '/api/v1/certificates',
    {
      schema: {
        summary: 'Certificates in use, without key material',
        tags: ['model'],
        querystring: Type.Interface([PageQuery], { namespace }),
        response: { 200: Page(CertificateView), ...ADMIN_ERRORS },
      },
    },
    async ({ query }) => {
      const certificates = [...controller.model.certificates.values()].filter(
        ({ origin }) => query.namespace === undefined || within(query.namespace)(origin),
      );
      const page = pageOf(certificates.sort(compareCertificates), query);
      return { ...page, items: page.items.map(certificateView) };
    },
  );
}

function within(name: string) {
  return ({ object }: { readonly object: { readonly namespace: string } }) => object.namespace === name;
}
