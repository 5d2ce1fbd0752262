import { Redacted } from '../../lib/redacted.ts';
import type { KubeUser } from '../kube-config.ts';
import { readExecPlugin } from './read-exec-plugin.ts';
import type { KubeconfigEntry } from './kubeconfig-entry.ts';

/** What kubectl of old could do and API servers no longer can, or weir doesn't. */
const REFUSED: Readonly<Record<string, { readonly what: string; readonly remedy: string }>> = {
  username: {
    what: 'is basic authentication, which Kubernetes removed in 1.19',
    remedy: 'Use a token, a client certificate or an exec plugin.',
  },
  password: {
    what: 'is basic authentication, which Kubernetes removed in 1.19',
    remedy: 'Use a token, a client certificate or an exec plugin.',
  },
  'auth-provider': {
    what: 'is not supported: kubectl dropped it in 1.26',
    remedy: 'Use the exec plugin that your provider has instead of it.',
  },
  as: {
    what: 'is not supported: weir acts as one user',
    remedy: 'Use the credentials of a service account with the rights that weir needs.',
  },
};

export function readUser(entry: KubeconfigEntry): KubeUser {
  for (const [field, { what, remedy }] of Object.entries(REFUSED)) {
    if (entry.has(field)) throw entry.problem(field, what, remedy);
  }
  const certificate = entry.material('client-certificate');
  const key = entry.material('client-key');
  if (certificate !== undefined && key === undefined) {
    throw entry.problem(
      'client-key',
      'is missing',
      'Give client-key or client-key-data beside the client certificate.',
    );
  }
  if (certificate === undefined && key !== undefined) {
    throw entry.problem(
      'client-certificate',
      'is missing',
      'Give client-certificate or client-certificate-data beside the key.',
    );
  }
  const token = entry.text('token');
  const tokenFile = entry.text('tokenFile');
  const exec = entry.entry('exec');
  if (exec !== undefined && (token !== undefined || tokenFile !== undefined)) {
    throw entry.problem('exec', `contradicts ${token === undefined ? 'tokenFile' : 'token'}`, 'Keep one of them.');
  }
  return {
    // A file wins over a text beside it, as kubectl has it: the text is what the file held at first.
    ...(tokenFile !== undefined
      ? { token: { file: entry.fileOf(tokenFile) } }
      : token === undefined
        ? {}
        : { token: { data: new Redacted(token) } }),
    ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    ...(exec === undefined ? {} : { exec: readExecPlugin(exec) }),
  };
}
