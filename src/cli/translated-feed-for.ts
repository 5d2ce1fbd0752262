import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { KnownNames } from '../controller/known-names.ts';
import { dnsQuery, dnsResolver } from '../controller/name-query.ts';
import { TranslatedFeed } from '../controller/translated-feed.ts';
import { logFault } from './log-fault.ts';
import { ownListeners } from './own-listeners.ts';
import type { ChosenSource } from './source-for.ts';
import { type TranslatorChoices, translatorFor } from './translator-for.ts';

export interface ChosenFeed {
  readonly feed: TranslatedFeed;
  /** To be told where the admin server listens before the first object is read: that is no endpoint. */
  listening(admin: readonly { readonly address: string; readonly port: number }[]): void;
}

/** The model of what the source holds. `directory` keeps the last good answers of DNS. */
export async function translatedFeedFor(
  settings: Settings,
  { source, cluster }: ChosenSource,
  directory: string,
  log: Logger,
  onServed?: TranslatorChoices['onServed'],
): Promise<ChosenFeed> {
  const { 'http-port': httpPort, 'https-port': httpsPort } = settings;
  let listeners = ownListeners(httpPort, httpsPort, []);
  const feed = new TranslatedFeed({
    source,
    translator: translatorFor({
      ingressClasses: settings['ingress-class'],
      defaultCertificate: settings['default-ssl-certificate'],
      httpPort,
      httpsPort,
      ownListeners: () => listeners,
      trustedProxies: settings['trusted-proxies'],
      cluster:
        cluster === undefined ? undefined : { watchIngressWithoutClass: settings['watch-ingress-without-class'] },
      ...(onServed === undefined ? {} : { onServed }),
    }),
    query: dnsQuery(dnsResolver(settings['dns-server'])),
    known: await KnownNames.open(directory),
    onFault: logFault(log),
  });
  return {
    feed,
    listening(admin) {
      listeners = ownListeners(httpPort, httpsPort, admin);
    },
  };
}
