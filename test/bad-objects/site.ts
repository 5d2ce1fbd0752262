import type { KeyPair } from '../support/certificates.ts';

/** One of the thousand: an Ingress with a host, a Service and an EndpointSlice of its own; some have a certificate. */
export interface Site {
  readonly name: string;
  readonly host: string;
  /** Loopback has many: each site's endpoint has one of its own. */
  readonly address: string;
  /** Name of its manifest in the folder. */
  readonly file: string;
  readonly pair: KeyPair | undefined;
}

export function makeSite(index: number, pair?: KeyPair): Site {
  const name = `site-${String(index).padStart(4, '0')}`;
  const address = `127.3.${Math.floor(index / 200)}.${(index % 200) + 1}`;
  return { name, host: `${name}.example`, address, file: `${name}.yaml`, pair };
}

/** The manifest as a person would write it: one value a line, so that a finding's line says which. */
export function siteManifest({ name, host, address, pair }: Site, port: number, annotations = ''): string {
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  annotations:
    example.org/team: shop
${annotations}spec:
${pair === undefined ? '' : tlsSection(name, host)}  rules:
    - host: ${host}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: ${name}
                port:
                  number: 80
---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  ports:
    - port: 80
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: ${name}
  labels:
    kubernetes.io/service-name: ${name}
addressType: IPv4
ports:
  - name: ""
    port: ${port}
endpoints:
  - addresses:
      - ${address}
${pair === undefined ? '' : tlsSecret(name, pair)}`;
}

function tlsSection(name: string, host: string): string {
  return `  tls:
    - hosts:
        - ${host}
      secretName: ${name}-tls
`;
}

function tlsSecret(name: string, { certificate, key }: KeyPair): string {
  return `---
apiVersion: v1
kind: Secret
metadata:
  name: ${name}-tls
type: kubernetes.io/tls
data:
  tls.crt: ${base64(certificate)}
  tls.key: ${base64(key)}
`;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
