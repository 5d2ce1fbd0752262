import type { Profile } from '../conf/profile.ts';

const UNITS: readonly (readonly [string, number])[] = [
  ['g', 1_073_741_824],
  ['m', 1_048_576],
  ['k', 1024],
];

/** One part for each thing that is special: `@grpc`, `@http_body_1m`, `@https_tls_0f3a…_body_1000`. */
export function profileName({
  protocol,
  identity,
  readsBody,
  bodyLimit,
}: Omit<Profile, 'name' | 'files' | 'location' | 'origins'>): string {
  const parts = [
    `@${protocol}`,
    ...(identity === undefined ? [] : [`tls_${identity.name}`]),
    ...(readsBody === true ? ['read'] : []),
    ...(bodyLimit === 0 ? [] : [`body_${sizeText(bodyLimit)}`]),
  ];
  return parts.join('_');
}

function sizeText(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes % size === 0);
  return unit === undefined ? String(bytes) : `${bytes / unit[1]}${unit[0]}`;
}
