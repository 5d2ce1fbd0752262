import { annotationReference } from '../../src/translate/ingress/annotations/reference.ts';
import type { Place } from './places.ts';
import type { Mutation } from './spoiled.ts';

/** Every annotation with its example, and with each word that its grammar names in quotes. */
export function harmlessMutations(places: readonly Place[]): readonly (readonly Mutation[])[] {
  const references = new Map(
    annotationReference().flatMap((reference) => reference.keys.map((key) => [key, reference] as const)),
  );
  return places
    .filter(({ annotation }) => annotation?.startsWith('nginx.ingress.kubernetes.io/') === true)
    .flatMap((place) => {
      const { example, value } = references.get(place.annotation ?? '') ?? {};
      const own = example === undefined ? [] : [place.otherwise];
      const words = [...(value?.grammar ?? '').matchAll(/["`“]([^"`”]+)["`”]/g)].map(([, word = '']) => word);
      return [...new Set([...own, ...words])].map((text) => [{ place, value: { name: text, text }, behind: false }]);
    });
}
