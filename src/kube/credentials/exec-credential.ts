import { Redacted } from '../../lib/redacted.ts';
import type { ExecPlugin } from '../kube-config.ts';
import type { Credentials } from './credentials.ts';

export interface ExecCredential extends Credentials {
  /** Milliseconds since 1970; undefined: good until the server refuses it. */
  readonly expires?: number;
}

/** What a plugin wrote. A text is what is wrong with it, and never quotes it. */
export function readExecCredential(output: string, plugin: ExecPlugin): ExecCredential | string {
  let written: unknown;
  try {
    written = JSON.parse(output);
  } catch {
    return 'wrote no JSON';
  }
  const document = fieldsOf(written);
  if (document.kind !== 'ExecCredential') return 'wrote no ExecCredential';
  if (document.apiVersion !== plugin.apiVersion) {
    return `answered in another version (${String(document.apiVersion)}) than the ${plugin.apiVersion} that was asked for`;
  }
  const {
    token,
    clientCertificateData: certificate,
    clientKeyData: key,
    expirationTimestamp,
  } = fieldsOf(document.status);
  const hasToken = typeof token === 'string' && token !== '';
  const hasPair = typeof certificate === 'string' && typeof key === 'string' && certificate !== '' && key !== '';
  if (!hasToken && !hasPair) return 'wrote neither status.token nor status.clientCertificateData with clientKeyData';
  const expires = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : undefined;
  if (expires !== undefined && Number.isNaN(expires)) return 'wrote a status.expirationTimestamp that is no time';
  return {
    ...(hasToken ? { token: new Redacted(token) } : {}),
    ...(hasPair ? { certificate: { certificate, key: new Redacted(key) } } : {}),
    ...(expires === undefined ? {} : { expires }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
