import type { CatalogueEntry } from './catalogue.ts';

/** Findings about weir itself. */
export const FAULT_FINDINGS = {
  fault: {
    code: 'WEIR0500',
    severity: 'error',
    title: 'Fault of weir',
    explanation:
      'weir failed at this object in a way that it should not. What it made of the object before stays in force; where there was nothing before, its hosts answer 503 and its files and other parts are left out. Everything else is served. It is tried again every minute and when the object changes.',
    fix: 'Report this as a defect of weir, with the message and the object. Until it is mended, undo the last change of the object.',
  },
} as const satisfies Record<string, CatalogueEntry>;
