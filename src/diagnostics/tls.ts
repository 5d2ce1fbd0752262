import type { CatalogueEntry } from './catalogue.ts';

export const TLS_FINDINGS = {} as const satisfies Record<string, CatalogueEntry>;
