import Type from 'typebox';
import { Redacted } from '../../lib/redacted.ts';
import { defineKind, Metadata } from '../kind-reader.ts';
import type { ObjectHead } from '../object-head.ts';

/** Of a Secret only the values of a key pair and its authorities are kept. */
export interface SecretObject extends ObjectHead {
  /** PEM, or what stands there instead. Undefined: no such key. */
  readonly certificate?: Redacted;
  readonly privateKey?: Redacted;
  /** `ca.crt` */
  readonly authorities?: Redacted;
  /** `ca.crl` */
  readonly revocations?: Redacted;
}

const Values = Type.Optional(Type.Record(Type.String(), Type.String()));

export const SECRET = defineKind({
  schema: Type.Object({ metadata: Metadata, data: Values, stringData: Values }),
  secret: true,
  keep: (head, { data, stringData }): SecretObject => {
    const certificate = keepValue(data, stringData, 'tls.crt');
    const privateKey = keepValue(data, stringData, 'tls.key');
    const authorities = keepValue(data, stringData, 'ca.crt');
    const revocations = keepValue(data, stringData, 'ca.crl');
    return {
      ...head,
      ...(certificate === undefined ? {} : { certificate }),
      ...(privateKey === undefined ? {} : { privateKey }),
      ...(authorities === undefined ? {} : { authorities }),
      ...(revocations === undefined ? {} : { revocations }),
    };
  },
});

type Values = Readonly<Record<string, string>> | undefined;

/** `stringData` wins, as when an API server merges it. */
function keepValue(data: Values, stringData: Values, key: string): Redacted | undefined {
  const text = stringData?.[key];
  if (text !== undefined) return new Redacted(text);
  const encoded = data?.[key];
  return encoded === undefined ? undefined : new Redacted(Buffer.from(encoded, 'base64').toString('utf8'));
}
