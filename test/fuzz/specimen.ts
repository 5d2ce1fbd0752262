import type { KeyPair } from '../support/certificates.ts';
import { backendService, ingress, ingressClass, secret, service, tlsSecret } from '../support/manifests.ts';

/** Objects that belong together: an Ingress and all that it needs. Some of them will be spoiled. */
export interface Specimen {
  readonly id: string;
  readonly host: string;
  /** Where its one endpoint listens: no other has it. */
  readonly address: string;
  /** By kind. */
  readonly objects: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export interface SpecimenOptions {
  readonly id: string;
  readonly address: string;
  readonly port: number;
  readonly pair: KeyPair;
}

export const DOMAIN = 'fuzz.example';

/** One that is served as it is: nothing in it is hostile. */
export function makeSpecimen({ id, address, port, pair }: SpecimenOptions): Specimen {
  const host = `${id}.${DOMAIN}`;
  const [, slice] = backendService({ name: id, endpoints: [{ address, port }] });
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: id, namespace: 'default' },
    subsets: [{ addresses: [{ ip: address }], ports: [{ port }] }],
  };
  const objects = [
    ingress({
      name: id,
      host,
      paths: [{ path: '/shop', service: id }],
      tls: [{ hosts: [host], secretName: `${id}-tls` }],
      annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' },
    }),
    service({ name: id, ports: [{ port: 80, targetPort: port }] }),
    slice,
    endpoints,
    tlsSecret({ name: `${id}-tls`, ...pair }),
    ingressClass(`${id}-class`),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: id, namespace: 'default' }, data: { key: 'value' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${id}-space` } },
  ] as Readonly<Record<string, unknown>>[];
  return { id, host, address, objects: new Map(objects.map((object) => [String(object['kind']), object])) };
}

/** A Secret with every key that an annotation may ask for. `authority`: PEM. */
export function secretForAnnotations(
  name: string,
  { certificate, key }: KeyPair,
  authority: string,
): Readonly<Record<string, unknown>> {
  const values = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority, auth: 'user:{PLAIN}word' };
  return secret({ name, values }) as unknown as Readonly<Record<string, unknown>>;
}
