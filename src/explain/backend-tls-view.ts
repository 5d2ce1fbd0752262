import Type, { type Static } from 'typebox';
import type { BackendTls } from '../model/backend.ts';
import { ObjectRef, originText } from '../model/origin.ts';

/** TLS towards a backend, without certificates themselves. */
export const BackendTlsView = Type.Object({
  verify: Type.Boolean(),
  authorities: Type.Optional(
    Type.Union([ObjectRef, Type.Literal('system')], {
      description: 'The object whose authorities it is verified by; `system`: those of the machine.',
    }),
  ),
  serverName: Type.Optional(
    Type.String({ description: 'The name that is verified, unless `subjectAltNames` are given.' }),
  ),
  sendServerName: Type.Boolean({ description: 'Whether the name is sent in the handshake (SNI).' }),
  subjectAltNames: Type.Optional(Type.Array(Type.String())),
  clientCertificate: Type.Optional(Type.String({ description: 'Id of the certificate that is shown.' })),
});
export type BackendTlsView = Readonly<Static<typeof BackendTlsView>>;

export function backendTlsView(tls: BackendTls): BackendTlsView {
  const { verify, authorities, authoritiesFrom, serverName, sendServerName, subjectAltNames, clientCertificate } = tls;
  const from = authorities === 'system' ? authorities : authoritiesFrom;
  return {
    verify,
    ...(!verify || from === undefined ? {} : { authorities: from }),
    ...(serverName === undefined ? {} : { serverName }),
    sendServerName,
    ...(subjectAltNames === undefined ? {} : { subjectAltNames: subjectAltNames.map(({ value }) => value) }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  };
}

/** `verified as web.test by the authorities of Secret/shop/ca, with the client certificate shop/weir`. */
export function backendTlsText(tls: BackendTlsView): string {
  const { verify, authorities, serverName, sendServerName, subjectAltNames, clientCertificate } = tls;
  const names = subjectAltNames?.join(' or ') ?? serverName ?? 'no name';
  const by =
    authorities === 'system'
      ? ' by the authorities of this machine'
      : authorities === undefined
        ? ''
        : ` by the authorities of ${originText({ object: authorities, field: '' })}`;
  const parts = [
    verify ? `verified as ${names}${by}` : 'not verified: any certificate is taken',
    ...(sendServerName && serverName !== undefined ? [`the name ${serverName} is sent`] : []),
    clientCertificate === undefined ? 'no client certificate' : `with the client certificate ${clientCertificate}`,
  ];
  return parts.join('; ');
}
