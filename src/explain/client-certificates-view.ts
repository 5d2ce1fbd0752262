import Type, { type Static } from 'typebox';
import { ClientCertificatePolicy } from '../model/client-certificate.ts';
import { ObjectRef, originText } from '../model/origin.ts';

/** What a host asks of its clients' certificates, without the authorities themselves. */
export const ClientCertificatesView = Type.Object({
  mode: Type.Index(ClientCertificatePolicy, ['mode']),
  authorities: Type.Optional(ObjectRef),
  depth: Type.Integer(),
  revocations: Type.Boolean({ description: 'Whether revocation lists are looked at.' }),
  subjectPattern: Type.Optional(Type.String({ description: 'Regular expression on the subject.' })),
  errorUrl: Type.Optional(Type.String({ description: 'Where who is refused is redirected to.' })),
  passToBackend: Type.Boolean(),
});
export type ClientCertificatesView = Readonly<Static<typeof ClientCertificatesView>>;

export function clientCertificatesView(policy: ClientCertificatePolicy): ClientCertificatesView {
  const { mode, authoritiesFrom, depth, revocations, subjectPattern, errorUrl, passToBackend } = policy;
  return {
    mode,
    ...(authoritiesFrom === undefined ? {} : { authorities: authoritiesFrom }),
    depth,
    revocations: revocations !== undefined,
    ...(subjectPattern === undefined ? {} : { subjectPattern }),
    ...(errorUrl === undefined ? {} : { errorUrl }),
    passToBackend: passToBackend === true,
  };
}

/** Whether a request of plain HTTP, where nobody shows a certificate, can go on. */
export function admitsPlain({ mode, subjectPattern }: ClientCertificatesView): boolean {
  return mode !== 'require' && subjectPattern === undefined;
}

/** What a client over HTTPS has to show for its request to go on; undefined: nothing. */
export function clientCertificateCondition(policy: ClientCertificatesView): string | undefined {
  const { mode, subjectPattern } = policy;
  const refused = refusal(policy);
  const subject =
    subjectPattern === undefined ? undefined : `the subject of its certificate matches ${subjectPattern}; else 403`;
  const shown = {
    require: `its client shows a certificate accepted by ${authoritiesText(policy)}; else ${refused}`,
    optional: `its client shows no certificate, or one accepted by ${authoritiesText(policy)}; else ${refused}`,
    'optional-no-ca': `a certificate that its client shows has no other fault than an unknown authority; else ${refused}`,
    'insecure-fallback': undefined,
  }[mode];
  const conditions = [shown, subject].filter((condition) => condition !== undefined);
  return conditions.length === 0 ? undefined : `only if ${conditions.join('; and only if ')}`;
}

/** The policy in sentences, for people. */
export function clientCertificateSentences(policy: ClientCertificatesView): string[] {
  const { mode, depth, revocations, subjectPattern, passToBackend } = policy;
  const who = authoritiesText(policy);
  const plain = admitsPlain(policy)
    ? 'Plain HTTP, where no certificate can be shown, passes like a client that has none.'
    : 'Plain HTTP, where no certificate can be shown, is redirected to HTTPS if the route says so; else it gets 403.';
  return [
    `${MODES[mode](who)}${mode === 'insecure-fallback' ? '' : ` Others get ${refusal(policy)}.`}`,
    ...(subjectPattern === undefined
      ? []
      : [
          `The certificate's subject must match ${subjectPattern}, and without a certificate it is empty; others get 403.`,
        ]),
    `Chains are verified up to depth ${depth}.`,
    ...(!revocations ? [] : [`Certificates that the revocation lists of ${who} name are refused.`]),
    passToBackend
      ? 'The backend gets the certificate and the outcome in headers.'
      : 'The backend gets the outcome in headers, without the certificate.',
    plain,
  ];
}

const MODES: Readonly<Record<ClientCertificatesView['mode'], (who: string) => string>> = {
  require: (who) => `Every client must show a certificate accepted by ${who}.`,
  optional: (who) => `A client may show a certificate; one that it shows must be accepted by ${who}.`,
  'optional-no-ca': (who) =>
    `A client may show a certificate; one of an authority that isn't ${who} passes, one with another fault doesn't.`,
  'insecure-fallback': () => 'Every client passes; the backend is told how its certificate fared.',
};

function refusal({ errorUrl }: ClientCertificatesView): string {
  return errorUrl === undefined ? '400' : `a redirect (302) to ${errorUrl}`;
}

function authoritiesText({ authorities }: ClientCertificatesView): string {
  return authorities === undefined
    ? 'its authorities'
    : `the authorities of ${originText({ object: authorities, field: '' })}`;
}
