import Type from 'typebox';
import { Redacted } from '../lib/redacted.ts';

/** A field that holds a secret. A plain text in its place is refused. */
export const Secret = Type.Unsafe<Redacted>(
  Type.Refine(
    Type.Unknown(),
    (value) => value instanceof Redacted,
    () => 'must be a secret; one that prints as "[redacted]" can\'t be read back',
  ),
);
