import type { Profile } from '../conf/profile.ts';

const UNITS: readonly (readonly [string, number])[] = [
  ['g', 1_073_741_824],
  ['m', 1_048_576],
  ['k', 1024],
];

/** `@grpc`, `@http_body_1m`, `@http_body_1000`. */
export function profileName(protocol: Profile['protocol'], bodyLimit: number): string {
  if (bodyLimit === 0) return `@${protocol}`;
  const unit = UNITS.find(([, size]) => bodyLimit % size === 0);
  return `@${protocol}_body_${unit === undefined ? bodyLimit : `${bodyLimit / unit[1]}${unit[0]}`}`;
}
