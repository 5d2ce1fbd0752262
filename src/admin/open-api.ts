import { buildAdminApp } from './admin-app.ts';

/** The OpenAPI document of the admin server, without a running weir: for the reference page. */
export async function adminOpenApi(): Promise<object> {
  // Routes only look at these when they are asked.
  const nothing = {} as never;
  const app = await buildAdminApp({ controller: nothing, metrics: nothing }, { token: undefined, host: 'localhost' });
  const document = app.swagger();
  await app.close();
  return document;
}
