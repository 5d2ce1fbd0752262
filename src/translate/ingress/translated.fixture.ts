/** A translator that serves class `weir` and Ingresses without class, as for manifests, and short ways to look at it. */
import type { Backend } from '../../model/backend.ts';
import type { Route } from '../../model/route.ts';
import { validateModel } from '../../model/validate.ts';
import type { VirtualHost } from '../../model/virtual-host.ts';
import type { Resource } from '../../snapshot/resource.ts';
import type { TranslatorOptions } from '../translator.ts';
import { put } from '../../../test/support/resources.ts';
import { IngressTranslator } from './ingress-translator.ts';

export const NOW = new Date('2026-06-01T00:00:00Z');

export const OPTIONS: TranslatorOptions = {
  ingressClasses: ['weir'],
  serveWithoutClass: true,
  classObjectNeeded: false,
  allowLoopbackEndpoints: true,
  httpPort: 80,
  httpsPort: 443,
  ownListeners: () => [],
  trustedProxies: [],
  now: () => NOW,
};

export function translate(resources: readonly Resource[], options: Partial<TranslatorOptions> = {}): IngressTranslator {
  const translator = new IngressTranslator({ ...OPTIONS, ...options });
  translator.update(put(...resources));
  const problems = validateModel(translator.model);
  if (problems.length > 0) throw new Error(`the model is invalid: ${JSON.stringify(problems, null, 2)}`);
  return translator;
}

export function hostOf(translator: IngressTranslator, hostname: string): VirtualHost {
  const host = translator.model.hosts.get(`default/${hostname}`);
  if (host === undefined)
    throw new Error(`no host ${hostname}; there is ${[...translator.model.hosts.keys()].join(', ')}`);
  return host;
}

/** `exact /a → shop/web:80`, in the order in which routes are asked. */
export function routesOf(translator: IngressTranslator, hostname: string): readonly string[] {
  return hostOf(translator, hostname).routes.map(routeText);
}

export function routeText({ match, action, filters }: Route): string {
  const path = `${match.path.kind} ${match.path.value}`;
  const redirect = filters.find((filter) => filter.type === 'redirect');
  if (redirect !== undefined) return `${path} ↪ ${redirect.status} ${redirect.path?.value ?? redirect.url ?? ''}`;
  if (action.kind === 'respond') return `${path} ✗ ${action.status}`;
  return `${path} → ${action.backends.map(({ backend }) => backend).join(', ')}`;
}

/** `10.0.0.1:8080`, with `draining` behind where it is. */
export function endpointsOf(translator: IngressTranslator, backend: string): readonly string[] {
  const found: Backend | undefined = translator.model.backends.get(backend);
  if (found === undefined)
    throw new Error(`no backend ${backend}; there is ${[...translator.model.backends.keys()].join(', ')}`);
  return found.endpoints.map(({ address, port, state }) => `${address}:${port}${state === 'ready' ? '' : ' draining'}`);
}

/** `WEIR0103 Ingress/shop/web spec.rules[0]…` */
export function findingsOf(translator: IngressTranslator): readonly string[] {
  return translator
    .findings()
    .map(({ code, object: { kind, namespace, name }, field }) =>
      `${code} ${kind}/${namespace}/${name} ${field}`.trim(),
    );
}
