import type { Finding } from '../diagnostics/finding.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { ObjectRef } from '../model/origin.ts';
import type { NeedChange } from '../snapshot/needed-keys.ts';
import type { ResourceChange } from '../snapshot/resource.ts';
import type { OwnListener } from './services/own-listener.ts';

export interface TranslatorOptions {
  /** Names of the classes served. */
  readonly ingressClasses: readonly string[];
  /** Serve an Ingress that names no class even when no IngressClass is the default (true for manifests). */
  readonly serveWithoutClass: boolean;
  /** Serve a class of ours although no IngressClass object stands for it (true for manifests). */
  readonly classObjectNeeded: boolean;
  readonly allowLoopbackEndpoints: boolean;
  /** Secret used where no other certificate fits. */
  readonly defaultCertificate?: { readonly namespace: string; readonly name: string };
  readonly httpPort: number;
  readonly httpsPort: number;
  /** What must not be an endpoint. Asked at each one, since the port of the admin server may be known only later than the translator is made. */
  readonly ownListeners: () => readonly OwnListener[];
  /** CIDRs whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Told of each Ingress that was read anew: the hosts for which it is served from now on, `*` among them; undefined: it isn't. */
  readonly onServed?: (ingress: ObjectRef, hosts: readonly string[] | undefined) => void;
  /** For certificate validity; a parameter so that tests can choose the time. */
  readonly now: () => Date;
}

/** The outcome of asking DNS for an ExternalName. */
export type NameAnswer = { readonly addresses: readonly string[] } | { readonly error: string };

/** Objects in, model and findings out. Does no I/O; the cost of an update depends on what it touches, not on what there is. */
export interface Translator {
  /** Live: changed by `update` and `resolved`, never between. */
  readonly model: Model;
  update(changes: readonly ResourceChange[]): ModelDelta;
  /** Whether the object as it was last given can't be used, so that the version before it (if there was one) counts. */
  refuses(ref: ObjectRef): boolean;
  /** DNS names that Services of type ExternalName need, which something refers to. */
  neededNames(): ReadonlySet<string>;
  resolved(name: string, answer: NameAnswer): ModelDelta;
  /** Secrets (`namespace/name`) that something served refers to, or doesn't any more, since the last call. Costs what changed. */
  takeSecretNeeds(): readonly NeedChange[];
  /** All that is to be said about the objects at this moment, in canonical order. */
  findings(): readonly Finding[];
  /** Looks again at what depends on the clock (certificates that expire). */
  tick(): ModelDelta;
}
