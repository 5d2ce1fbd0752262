import type { CatalogueEntry } from './catalogue.ts';

/** Findings about certificates and the TLS sections that name them. */
export const TLS_FINDINGS = {
  secretNotFound: {
    code: 'WEIR0300',
    severity: 'error',
    title: 'TLS Secret not found',
    explanation:
      'The Secret does not exist in the namespace of the object that names it, or it exists but its shape is wrong (WEIR0100 says where), so that it can’t be used. The default certificate is used.',
    fix: 'Create the Secret (type kubernetes.io/tls), or correct its name.',
  },
  keyPairIncomplete: {
    code: 'WEIR0301',
    severity: 'error',
    title: 'TLS Secret is incomplete',
    explanation: 'A key pair needs the entries `tls.crt` and `tls.key`. The default certificate is used.',
    fix: 'Create the Secret with `kubectl create secret tls`.',
  },
  certificateUnreadable: {
    code: 'WEIR0302',
    severity: 'error',
    title: 'Certificate is unreadable',
    explanation: '`tls.crt` holds no PEM certificate, or a damaged one. The default certificate is used.',
    fix: 'Put the certificate in PEM, its chain after it.',
  },
  privateKeyUnreadable: {
    code: 'WEIR0303',
    severity: 'error',
    title: 'Private key is unreadable',
    explanation:
      '`tls.key` holds no PEM private key, a damaged one, or one with a passphrase. The default certificate is used.',
    fix: 'Put the private key in PEM, without passphrase.',
  },
  keyMismatch: {
    code: 'WEIR0304',
    severity: 'error',
    title: 'Key does not fit the certificate',
    explanation: 'The private key belongs to none of the certificates in `tls.crt`. The default certificate is used.',
    fix: 'Put the certificate and the key of one pair into the Secret.',
  },
  expired: {
    code: 'WEIR0305',
    severity: 'error',
    title: 'Certificate has expired',
    explanation: 'Clients refuse it. It is served nevertheless: another certificate would be refused too.',
    fix: 'Renew the certificate.',
  },
  notYetValid: {
    code: 'WEIR0306',
    severity: 'error',
    title: 'Certificate is not valid yet',
    explanation: 'Clients refuse it until its time begins. It is served nevertheless.',
    fix: 'Wait, or use a certificate that is valid now; see that the clock is right.',
  },
  expiresSoon: {
    code: 'WEIR0307',
    severity: 'warning',
    title: 'Certificate expires soon',
    explanation: 'The certificate expires within 14 days.',
    fix: 'Renew the certificate.',
  },
  nameNotCovered: {
    code: 'WEIR0308',
    severity: 'error',
    title: 'Certificate does not cover the host',
    explanation:
      'None of the names in the certificate is the host. The default certificate is used for the host, as ingress-nginx does.',
    fix: 'Use a certificate that is made for the host.',
  },
  chainOrder: {
    code: 'WEIR0309',
    severity: 'warning',
    title: 'Certificate chain is out of order',
    explanation:
      'A chain begins with the certificate that belongs to the key, and each next one is the issuer of the one before. weir sends it in that order as far as it can be made out.',
    fix: 'Put the own certificate first, then its issuer, and so on; leave out what does not belong.',
  },
  keyTypeUnsupported: {
    code: 'WEIR0310',
    severity: 'error',
    title: 'Type of key is not supported',
    explanation:
      'Keys are RSA of 2048 bits or more, EC on one of the curves P-256, P-384 and P-521, or Ed25519. With another curve, such as secp256k1, most clients could not connect at all. The default certificate is used.',
    fix: 'Use a certificate with such a key.',
  },
  tlsConflict: {
    code: 'WEIR0311',
    severity: 'warning',
    title: 'TLS of the host is decided elsewhere',
    explanation:
      'Several Ingresses have a TLS section for the host with different Secrets. The oldest decides; this section has no effect for the host.',
    fix: 'Name the same Secret, or remove one of the sections.',
  },
  hostWithoutRule: {
    code: 'WEIR0312',
    severity: 'warning',
    title: 'TLS host has no rule',
    explanation: 'A TLS section has effect only for hosts that stand in a rule of the same Ingress.',
    fix: 'Add a rule for the host, or remove it from the TLS section.',
  },
  secondOfType: {
    code: 'WEIR0313',
    severity: 'warning',
    title: 'Second certificate of the same type',
    explanation:
      'A host may have one certificate for each type of key (RSA, EC, Ed25519). The first of the type is used.',
    fix: 'Remove one of the entries.',
  },
  backendSecret: {
    code: 'WEIR0320',
    severity: 'error',
    title: 'Secret for TLS towards the backend can not be used',
    explanation:
      'The Secret that `proxy-ssl-secret` names is in another namespace, of a wrong shape, or holds no certificate with its key that could be shown to the backend and no authorities either. The routes of the Ingress answer 503, as in ingress-nginx: without it the backend would be spoken to in another way than was asked.',
    fix: 'Put `tls.crt` and `tls.key`, `ca.crt`, or all three in PEM into a Secret in the namespace of the Ingress.',
  },
  backendAuthorities: {
    code: 'WEIR0321',
    severity: 'error',
    title: 'Nothing to verify the backend by',
    explanation:
      'The backend’s certificate is to be verified, and the Secret has no `ca.crt`, or one with a damaged certificate. The routes of the Ingress answer 503 rather than go to a backend that nobody has verified.',
    fix: 'Put the certificates of the authorities in PEM into the entry `ca.crt`, or set `proxy-ssl-verify` to "off".',
  },
  backendSecretNotFound: {
    code: 'WEIR0322',
    severity: 'error',
    title: 'Secret for TLS towards the backend not found',
    explanation:
      'The Secret that `proxy-ssl-secret` names does not exist in the namespace of the Ingress. The routes of the Ingress answer 503, as in ingress-nginx: without it the backend would be spoken to in another way than was asked.',
    fix: 'Create the Secret, or correct its name.',
  },
  backendRootMissing: {
    code: 'WEIR0323',
    severity: 'warning',
    title: 'No backend can be verified by these authorities',
    explanation:
      'The backend’s certificate is to be verified, and `ca.crt` holds no self-signed certificate, in which every chain ends: only certificates that an authority has issued, or only intermediate authorities. Every connection to the backend fails, so that the routes answer 502.',
    fix: 'Put the certificate of the authority at the end of the chain (the root) into the entry `ca.crt`.',
  },
  clientAuthorities: {
    code: 'WEIR0330',
    severity: 'error',
    title: 'Nothing to verify clients by',
    explanation:
      'The Secret that `auth-tls-secret` names is in another namespace, of a wrong shape, or has no `ca.crt` (and `ca.crl`, if there is one) that can be read. The hosts of the Ingress answer 503: without it they would be open to everybody.',
    fix: 'Put the certificates of the authorities in PEM into the entry `ca.crt` of a Secret in the namespace of the Ingress.',
  },
  clientCertificateConflict: {
    code: 'WEIR0331',
    severity: 'error',
    title: 'Client certificates of the host are decided by another Ingress',
    explanation:
      'Which certificates a host asks for is settled before the path is known, so that it can only be one thing for the whole host: what the oldest Ingress says that says something. The routes of another that asks for something else answer 503, because they would not be guarded as it asks.',
    fix: 'Write the same auth-tls annotations on all Ingresses of the host, or on one of them.',
  },
  clientSecretNotFound: {
    code: 'WEIR0332',
    severity: 'error',
    title: 'Secret with the authorities of clients not found',
    explanation:
      'The Secret that `auth-tls-secret` names does not exist in the namespace of the Ingress. The hosts of the Ingress answer 503: without it they would be open to everybody.',
    fix: 'Create the Secret, or correct its name.',
  },
  clientRootMissing: {
    code: 'WEIR0333',
    severity: 'warning',
    title: 'No client can be verified by these authorities',
    explanation:
      '`ca.crt` holds no self-signed certificate, in which every chain ends: only certificates that an authority has issued, or only intermediate authorities. Whichever certificate a client shows, it gets 400. (One that is self-signed and no authority is right: it is good for the client that has it.)',
    fix: 'Put the certificate of the authority at the end of the chain (the root) into the entry `ca.crt`.',
  },
} as const satisfies Record<string, CatalogueEntry>;
