import Type, { type Static } from 'typebox';
import { Origin } from './origin.ts';
import { Secret } from './secret.ts';

/** A certificate with its chain and its private key. */
export const Certificate = Type.Object({
  /** Unique in the model; changes when the content does not matter: `shop/web-tls`. */
  id: Type.String({ minLength: 1 }),
  /** Leaf first. */
  chain: Type.String(),
  privateKey: Secret,
  keyType: Type.Union([Type.Literal('rsa'), Type.Literal('ec'), Type.Literal('ed25519')]),
  /** DNS names and addresses of the leaf. */
  names: Type.Array(Type.String()),
  /** RFC 3339. */
  notBefore: Type.String(),
  notAfter: Type.String(),
  /** Lower-case hex SHA-256 of the leaf. */
  fingerprint: Type.String(),
  origin: Origin,
});
export type Certificate = Readonly<Static<typeof Certificate>>;
