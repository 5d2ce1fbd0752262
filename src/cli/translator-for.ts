import { IngressTranslator } from '../translate/ingress/ingress-translator.ts';
import type { OwnListener } from '../translate/services/own-listener.ts';
import type { Translator } from '../translate/translator.ts';

export interface TranslatorChoices {
  readonly ingressClasses: readonly string[];
  /** `NAMESPACE/NAME` */
  readonly defaultCertificate?: string | undefined;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly trustedProxies: readonly string[];
  /** Unless given it is not known where weir will listen, and every port may be an endpoint's. */
  readonly ownListeners?: () => readonly OwnListener[];
}

/** The translator for manifests: classes need no IngressClass object, and endpoints may be on this machine. */
export function translatorFor(choices: TranslatorChoices): Translator {
  const [namespace, name] = choices.defaultCertificate?.split('/') ?? [];
  return new IngressTranslator({
    ingressClasses: choices.ingressClasses,
    serveWithoutClass: true,
    classObjectNeeded: false,
    allowLoopbackEndpoints: true,
    ...(namespace === undefined || name === undefined ? {} : { defaultCertificate: { namespace, name } }),
    httpPort: choices.httpPort,
    httpsPort: choices.httpsPort,
    ownListeners: choices.ownListeners ?? (() => []),
    trustedProxies: choices.trustedProxies,
    now: () => new Date(),
  });
}
