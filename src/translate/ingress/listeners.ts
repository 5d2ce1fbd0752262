import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { TLS_FINDINGS } from '../../diagnostics/tls.ts';
import type { Listener } from '../../model/listener.ts';
import type { CertificateState } from '../tls/certificate-table.ts';
import type { TranslatorOptions } from '../translator.ts';
import { INGRESS_SCOPE } from './host-builder.ts';

/** Every Ingress is served by both. */
export function buildListeners(
  options: TranslatorOptions,
  defaultCertificates: readonly string[],
): readonly Listener[] {
  const { httpPort, httpsPort, trustedProxies } = options;
  const shared = {
    scope: INGRESS_SCOPE,
    addresses: [],
    ...(trustedProxies.length === 0 ? {} : { trustedProxies: [...trustedProxies] }),
  };
  return [
    { name: 'http', protocol: 'http', port: httpPort, ...shared, origin: optionOrigin('httpPort') },
    {
      name: 'https',
      protocol: 'https',
      port: httpsPort,
      ...shared,
      http2: true,
      ...(defaultCertificates.length === 0 ? {} : { defaultCertificates: [...defaultCertificates] }),
      origin: optionOrigin('httpsPort'),
    },
  ];
}

/** About the Secret that the option names; what is wrong inside an existing one is told at the Secret. */
export function defaultCertificateFindings(
  { defaultCertificate: ref }: TranslatorOptions,
  state: CertificateState | undefined,
): readonly Finding[] {
  if (ref === undefined || state === undefined || state.exists) return [];
  const origin = { object: { kind: 'Secret', ...ref }, field: '' };
  const what = state.refused === true ? 'has the wrong shape' : 'does not exist';
  const message = `Secret ${ref.namespace}/${ref.name} is the default certificate and ${what}; a self-signed one is used.`;
  const fix =
    state.refused === true
      ? 'Correct the Secret; a finding of its own says where.'
      : 'Create the Secret, or correct --default-ssl-certificate.';
  return [finding(TLS_FINDINGS.secretNotFound, origin, message, fix)];
}

function optionOrigin(field: string): Listener['origin'] {
  return { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field };
}
