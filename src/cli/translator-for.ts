import { IngressTranslator } from '../translate/ingress/ingress-translator.ts';
import type { OwnListener } from '../translate/services/own-listener.ts';
import type { Translator, TranslatorOptions } from '../translate/translator.ts';

export interface TranslatorChoices {
  readonly ingressClasses: readonly string[];
  /** `NAMESPACE/NAME` */
  readonly defaultCertificate?: string | undefined;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly trustedProxies: readonly string[];
  /** Objects come from a cluster: classes need their IngressClass object, and no endpoint is on this machine's loopback. */
  readonly cluster?: { readonly watchIngressWithoutClass: boolean } | undefined;
  /** Unless given it is not known where weir will listen, and every port may be an endpoint's. */
  readonly ownListeners?: () => readonly OwnListener[];
  readonly onServed?: TranslatorOptions['onServed'];
}

/** The translator. For manifests, classes need no IngressClass object, and endpoints may be on this machine. */
export function translatorFor(choices: TranslatorChoices): Translator {
  const [namespace, name] = choices.defaultCertificate?.split('/') ?? [];
  return new IngressTranslator({
    ingressClasses: choices.ingressClasses,
    serveWithoutClass: choices.cluster === undefined || choices.cluster.watchIngressWithoutClass,
    classObjectNeeded: choices.cluster !== undefined,
    allowLoopbackEndpoints: choices.cluster === undefined,
    ...(namespace === undefined || name === undefined ? {} : { defaultCertificate: { namespace, name } }),
    httpPort: choices.httpPort,
    httpsPort: choices.httpsPort,
    ownListeners: choices.ownListeners ?? (() => []),
    trustedProxies: choices.trustedProxies,
    ...(choices.onServed === undefined ? {} : { onServed: choices.onServed }),
    now: () => new Date(),
  });
}
