import Type, { type Static } from 'typebox';
import { ObjectRef } from './origin.ts';

/** Verification of the certificate that a client presents. */
export const ClientCertificatePolicy = Type.Object({
  /**
   * `require`: no valid certificate, no request. `optional`: verified if given, refused if wrong. `optional-no-ca`: one
   * that no authority signed passes too, one that has expired doesn't. `insecure-fallback`: every connection passes,
   * with, without or with a wrong certificate; the backend is told the outcome (Gateway API AllowInsecureFallback).
   */
  mode: Type.Union([
    Type.Literal('require'),
    Type.Literal('optional'),
    Type.Literal('optional-no-ca'),
    Type.Literal('insecure-fallback'),
  ]),
  /** PEM bundle of authorities; public data. */
  authorities: Type.String(),
  /** The object that holds them; for people. */
  authoritiesFrom: Type.Optional(ObjectRef),
  depth: Type.Integer({ minimum: 0 }),
  /** Revocation lists, PEM. */
  revocations: Type.Optional(Type.String()),
  /** Regular expression on the subject's distinguished name. */
  subjectPattern: Type.Optional(Type.String()),
  /** Where to send people whose certificate was refused. */
  errorUrl: Type.Optional(Type.String()),
  /** Send the client's certificate to the backend in a header. */
  passToBackend: Type.Optional(Type.Boolean()),
});
export type ClientCertificatePolicy = Readonly<Static<typeof ClientCertificatePolicy>>;
