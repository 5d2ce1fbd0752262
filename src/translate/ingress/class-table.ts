/**
 * Which Ingresses are weir's.
 *
 * Sources: Ingress v1 API reference, `ingressClassName` (the annotation "must be given precedence over this field");
 * "Default IngressClass" in the Kubernetes documentation; the admission plugin DefaultIngressClass (of several defaults
 * the newest, then by name).
 */
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import { compareText } from '../../lib/text-order.ts';
import { compareAges } from '../../model/order.ts';
import { annotationField } from '../../snapshot/field-path.ts';
import { DEFAULT_CLASS_ANNOTATION, type IngressClassObject } from '../../snapshot/kinds/ingress-class.ts';
import type { IngressObject } from '../../snapshot/kinds/ingress.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { TranslatorOptions } from '../translator.ts';

export const INGRESS_CONTROLLER = 'weir.dev/ingress-controller';
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export interface ClassDecision {
  readonly served: boolean;
  readonly findings: readonly Finding[];
}

/** The class that an Ingress names; '' if none. */
export function className(ingress: IngressObject): string {
  return ingress.annotations[CLASS_ANNOTATION] || (ingress.className ?? '');
}

export class ClassTable {
  readonly #snapshot: Snapshot;
  readonly #options: TranslatorOptions;

  constructor(snapshot: Snapshot, options: TranslatorOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
  }

  decide(ingress: IngressObject): ClassDecision {
    const name = className(ingress);
    if (name === '') return this.#decideWithoutClass(ingress);
    const byAnnotation = Boolean(ingress.annotations[CLASS_ANNOTATION]);
    const origin = originOf(ingress, byAnnotation ? annotationField(CLASS_ANNOTATION) : 'spec.ingressClassName');
    const object = this.#snapshot.get('IngressClass', objectKey('', name));
    const listed = this.#options.ingressClasses.includes(name);
    // Another controller's: nothing of ours, and nothing to say.
    if (object !== undefined && object.controller !== INGRESS_CONTROLLER) return { served: false, findings: [] };
    if (!listed) {
      const served = this.#options.ingressClasses.join(', ');
      const message = `Class ${JSON.stringify(name)} is not served here; served: ${served}.`;
      return { served: false, findings: [finding(INGRESS_FINDINGS.notServed, origin, message)] };
    }
    // The annotation is older than IngressClass and never needed the object.
    if (object === undefined && this.#options.classObjectNeeded && !byAnnotation) {
      const message = `There is no IngressClass ${name}.`;
      const fix = `Create IngressClass ${name} with spec.controller ${INGRESS_CONTROLLER}.`;
      return { served: false, findings: [finding(INGRESS_FINDINGS.notServed, origin, message, fix)] };
    }
    const findings: Finding[] = [];
    if (byAnnotation && ingress.className !== undefined && ingress.className !== name) {
      const message = `The annotation names class ${JSON.stringify(name)}, spec.ingressClassName ${JSON.stringify(ingress.className)}; the annotation wins.`;
      findings.push(finding(INGRESS_FINDINGS.classTwice, origin, message));
    }
    return { served: true, findings };
  }

  /** What is to be said about the IngressClass objects themselves. */
  findings(): readonly Finding[] {
    const findings: Finding[] = [];
    for (const object of this.#snapshot.all('IngressClass')) {
      if (object.controller === INGRESS_CONTROLLER || !this.#options.ingressClasses.includes(object.ref.name)) continue;
      const message = `IngressClass ${object.ref.name} names controller ${JSON.stringify(object.controller)}; its Ingresses are not served.`;
      findings.push(finding(INGRESS_FINDINGS.classOfOther, originOf(object, 'spec.controller'), message));
    }
    const [taken, ...others] = this.#defaults();
    if (taken === undefined || others.length === 0) return findings;
    for (const object of [taken, ...others]) {
      const origin = originOf(object, annotationField(DEFAULT_CLASS_ANNOTATION));
      const message = `${others.length + 1} classes are marked as the default; ${taken.ref.name} is taken.`;
      findings.push(finding(INGRESS_FINDINGS.severalDefaultClasses, origin, message));
    }
    return findings;
  }

  #decideWithoutClass(ingress: IngressObject): ClassDecision {
    const [fallback] = this.#defaults();
    if (fallback !== undefined) {
      const ours =
        fallback.controller === INGRESS_CONTROLLER && this.#options.ingressClasses.includes(fallback.ref.name);
      return { served: ours, findings: [] };
    }
    if (this.#options.serveWithoutClass) return { served: true, findings: [] };
    const message = 'The Ingress names no class, and no IngressClass is the default.';
    return {
      served: false,
      findings: [finding(INGRESS_FINDINGS.notServed, originOf(ingress, 'spec.ingressClassName'), message)],
    };
  }

  /** The one that is taken first. */
  #defaults(): readonly IngressClassObject[] {
    return [...this.#snapshot.all('IngressClass')]
      .filter(({ isDefault }) => isDefault)
      .sort((a, b) => compareAges(b.created, a.created) || compareText(a.ref.name, b.ref.name));
  }
}
