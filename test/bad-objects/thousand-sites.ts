import { makeAuthority } from '../support/certificates.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import type { Scope } from '../support/scope.ts';
import { makeSite, type Site, siteManifest } from './site.ts';
import { startSiteBackends } from './site-backends.ts';

export const COUNT = 1000;
/** One in so many has a certificate. */
const TLS_EVERY = 20;

export interface ThousandSites {
  readonly sites: readonly Site[];
  readonly folder: ManifestFolder;
  /** PEM, of the authority that all certificates are by. */
  readonly ca: string;
  /** The site's manifest without any fault. */
  manifest(site: Site): string;
}

/** A folder of 1,000 sites, each in a file of its own, with backends that answer. */
export async function makeThousandSites(scope: Scope): Promise<ThousandSites> {
  const authority = await makeAuthority();
  const sites = await Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const site = makeSite(index);
      return index % TLS_EVERY === 0 ? makeSite(index, await authority.issue([site.host])) : site;
    }),
  );
  const port = await startSiteBackends(scope, sites);
  const manifest = (site: Site) => siteManifest(site, port);
  const folder = new ManifestFolder(scope);
  for (const site of sites) folder.write(site.file, manifest(site));
  return { sites, folder, ca: authority.certificate, manifest };
}
