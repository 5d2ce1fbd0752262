import type { IngressManifest } from './manifest.ts';

/** The value of an annotation of ingress-nginx; an empty one is none. */
export function annotation({ metadata }: IngressManifest, key: string): string | undefined {
  const value = metadata.annotations?.[`nginx.ingress.kubernetes.io/${key}`];
  return value === '' ? undefined : value;
}

export function isOn(ingress: IngressManifest, key: string): boolean {
  return annotation(ingress, key) === 'true';
}
