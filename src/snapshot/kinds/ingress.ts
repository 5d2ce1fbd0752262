import Type, { type Static } from 'typebox';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';

const Backend = Type.Object({
  service: Type.Optional(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      port: Type.Optional(
        Type.Object({
          name: Type.Optional(Type.String()),
          number: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
        }),
      ),
    }),
  ),
  resource: Type.Optional(Type.Object({ kind: Type.Optional(Type.String()), name: Type.Optional(Type.String()) })),
});

const Path = Type.Object({
  path: Type.Optional(Type.String()),
  pathType: Type.Optional(Type.String()),
  backend: Backend,
});

const Rule = Type.Object({
  host: Type.Optional(Type.String()),
  http: Type.Optional(Type.Object({ paths: Type.Array(Path) })),
});

const Tls = Type.Object({
  hosts: Type.Optional(Type.Array(Type.String())),
  secretName: Type.Optional(Type.String()),
});

const Ingress = Type.Object({
  metadata: Metadata,
  spec: Type.Optional(
    Type.Object({
      ingressClassName: Type.Optional(Type.String()),
      defaultBackend: Type.Optional(Backend),
      rules: Type.Optional(Type.Array(Rule)),
      tls: Type.Optional(Type.Array(Tls)),
    }),
  ),
});

export type IngressBackend = Readonly<Static<typeof Backend>>;
export type IngressPath = Readonly<Static<typeof Path>>;
export type IngressTls = Readonly<Static<typeof Tls>>;
export interface IngressRule {
  readonly host?: string;
  readonly paths: readonly IngressPath[];
}

export interface IngressObject extends ObjectHead {
  readonly annotations: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly defaultBackend?: IngressBackend;
  readonly rules: readonly IngressRule[];
  readonly tls: readonly IngressTls[];
}

/** kubectl's own copy of the whole object; nobody reads it and it is as large as the rest. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export const INGRESS = defineKind({
  schema: Ingress,
  keep: (head, { metadata, spec }): IngressObject => ({
    ...head,
    annotations: keepAnnotations(metadata.annotations),
    ...(spec?.ingressClassName === undefined ? {} : { className: spec.ingressClassName }),
    ...(spec?.defaultBackend === undefined ? {} : { defaultBackend: keepBackend(spec.defaultBackend) }),
    rules: (spec?.rules ?? []).map(({ host, http }) => ({
      ...(host === undefined ? {} : { host }),
      paths: (http?.paths ?? []).map(({ path, pathType, backend }) => ({
        ...(path === undefined ? {} : { path }),
        ...(pathType === undefined ? {} : { pathType }),
        backend: keepBackend(backend),
      })),
    })),
    tls: (spec?.tls ?? []).map(({ hosts, secretName }) => ({
      ...(hosts === undefined ? {} : { hosts: [...hosts] }),
      ...(secretName === undefined ? {} : { secretName }),
    })),
  }),
});

function keepAnnotations(annotations: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key !== LAST_APPLIED));
}

function keepBackend({ service, resource }: Static<typeof Backend>): IngressBackend {
  const { name, number } = service?.port ?? {};
  return {
    ...(service === undefined
      ? {}
      : {
          service: {
            name: service.name,
            port: { ...(name === undefined ? {} : { name }), ...(number === undefined ? {} : { number }) },
          },
        }),
    ...(resource === undefined
      ? {}
      : { resource: { kind: resource.kind ?? 'unknown', name: resource.name ?? 'unknown' } }),
  };
}
