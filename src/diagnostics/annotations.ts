import type { CatalogueEntry } from './catalogue.ts';

export const ANNOTATION_FINDINGS = {} as const satisfies Record<string, CatalogueEntry>;
