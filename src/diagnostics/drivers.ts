import type { CatalogueEntry } from './catalogue.ts';

export const DRIVER_FINDINGS = {} as const satisfies Record<string, CatalogueEntry>;
