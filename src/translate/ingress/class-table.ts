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
import {
  DEFAULT_CLASS_ANNOTATION,
  INGRESS_CONTROLLER,
  type IngressClassObject,
} from '../../snapshot/kinds/ingress-class.ts';
import type { IngressObject } from '../../snapshot/kinds/ingress.ts';
import { objectKey, originOf } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { TranslatorOptions } from '../translator.ts';

export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export interface ClassDecision {
  readonly served: boolean;
  readonly findings: readonly Finding[];
}

/** The class that an Ingress names; '' if none. */
export function className(ingress: IngressObject): string {
  return ingress.annotations[CLASS_ANNOTATION] || (ingress.className ?? '');
}

const MOST_CLASSES_TOLD = 5;

function foreignClass(name: string, owner: string): string {
  return ` IngressClass ${name} names controller ${JSON.stringify(owner)}: let it name ${INGRESS_CONTROLLER}, or leave it out.`;
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

  /**
   * What is to be said where there are Ingresses and none of them is served. Only of manifests, which are written for weir:
   * in a cluster weir may stand beside other controllers and have nothing to do.
   */
  nothingServed(): readonly Finding[] {
    if (!this.#options.serveWithoutClass || this.#options.classObjectNeeded) return [];
    const counts = new Map<string, number>();
    for (const ingress of this.#snapshot.all('Ingress')) {
      const name = className(ingress);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (counts.size === 0) return [];
    const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || compareText(a, b));
    const told = names.slice(0, MOST_CLASSES_TOLD).map((name) => {
      const count = `${counts.get(name)} ${counts.get(name) === 1 ? 'is' : 'are'}`;
      return name === '' ? `${count} of no class` : `${count} of class ${JSON.stringify(name)}`;
    });
    const more = names.length > told.length ? `, and others of ${names.length - told.length} more classes` : '';
    const message = `No Ingress is served: ${told.join(', ')}${more}; served: ${this.#options.ingressClasses.join(', ')}.`;
    const origin = { object: { kind: 'Configuration', namespace: '', name: 'weir' }, field: 'ingress-class' };
    return [finding(INGRESS_FINDINGS.nothingServed, origin, message, this.#remedy(names))];
  }

  #remedy(names: readonly string[]): string {
    const name = names.find((each) => each !== '' && !this.#options.ingressClasses.includes(each));
    if (name === undefined) return INGRESS_FINDINGS.nothingServed.fix;
    const owner = this.#snapshot.get('IngressClass', objectKey('', name))?.controller;
    const other = owner === undefined || owner === INGRESS_CONTROLLER ? '' : foreignClass(name, owner);
    return `Add --ingress-class ${name} if weir is to serve them.${other}`;
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
