import type { CatalogueEntry } from './catalogue.ts';

export const SOURCE_FINDINGS = {} as const satisfies Record<string, CatalogueEntry>;
