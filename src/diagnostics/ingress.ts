import type { CatalogueEntry } from './catalogue.ts';

export const INGRESS_FINDINGS = {} as const satisfies Record<string, CatalogueEntry>;
