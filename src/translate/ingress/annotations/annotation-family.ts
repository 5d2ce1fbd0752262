import type { IngressSettings } from '../settings.ts';
import type { AnnotationKey } from './annotation-key.ts';
import type { AnnotationReader } from './annotation-reader.ts';

/** Keys that belong together, and what they mean together. */
export interface AnnotationFamily {
  readonly title: string;
  readonly keys: readonly AnnotationKey<unknown>[];
  /** Whether a canary has its own; otherwise it takes the main Ingress's. */
  readonly onCanary: boolean;
  /** Called when at least one of the keys is there. Writes what they say into `settings`. */
  apply(read: AnnotationReader, settings: IngressSettings): void;
}
