import { boolYaml11Tag, defineScalarTag, FAILSAFE_SCHEMA, mergeTag, NOT_RESOLVED, nullYaml11Tag } from 'js-yaml';

const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const DIGITS = [...'0123456789'];

/**
 * YAML as sigs.k8s.io/yaml reads it, which kubectl and the API server use: the scalars of YAML 1.1 (yes and off are
 * booleans, 0777 is octal, `<<` merges) without its timestamps and base-60 numbers, which stay text. `.inf` and
 * `.nan`, which JSON can't say and Kubernetes refuses, stay text too.
 */
export const KUBERNETES_YAML = FAILSAFE_SCHEMA.withTags(
  nullYaml11Tag,
  boolYaml11Tag,
  defineScalarTag<number>('tag:yaml.org,2002:int', {
    implicit: true,
    implicitFirstChars: ['-', '+', ...DIGITS],
    resolve: (source) => {
      const plain = source.replaceAll('_', '');
      return INTEGER.test(plain) ? integerOf(plain) : NOT_RESOLVED;
    },
    identify: Number.isInteger,
  }),
  defineScalarTag<number>('tag:yaml.org,2002:float', {
    implicit: true,
    implicitFirstChars: ['-', '+', '.', ...DIGITS],
    resolve: (source) => {
      const plain = source.replaceAll('_', '');
      if (!FLOAT.test(plain)) return NOT_RESOLVED;
      const value = Number(plain);
      return Number.isFinite(value) ? value : NOT_RESOLVED;
    },
    identify: (value) => typeof value === 'number',
  }),
  mergeTag,
);

function integerOf(plain: string): number {
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[-+]/, '').toLowerCase();
  if (digits.startsWith('0x')) return sign * Number.parseInt(digits.slice(2), 16);
  if (digits.startsWith('0b')) return sign * Number.parseInt(digits.slice(2), 2);
  if (digits.startsWith('0o')) return sign * Number.parseInt(digits.slice(2), 8);
  return sign * Number.parseInt(digits, digits.startsWith('0') ? 8 : 10);
}
