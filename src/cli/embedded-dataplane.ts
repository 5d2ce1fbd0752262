import { getAsset, getAssetKeys } from 'node:sea';
import type { DataplaneBuild } from '../drivers/nginx/nginx-options.ts';

/** What the names of its files begin with among the assets of the single executable. */
export const DATAPLANE_ASSETS = 'dataplane/';

/** The file among them that holds the hash. */
const STAMP = '.hash';

/** The program for nginx from inside the single executable. Throws where this process isn't one. */
export function embeddedDataplane(): DataplaneBuild {
  const names = getAssetKeys().flatMap((key) =>
    key.startsWith(DATAPLANE_ASSETS) ? [key.slice(DATAPLANE_ASSETS.length)] : [],
  );
  const files = new Map(names.map((name) => [name, new Uint8Array(getAsset(`${DATAPLANE_ASSETS}${name}`))]));
  return { hash: getAsset(`${DATAPLANE_ASSETS}${STAMP}`, 'utf8').trim(), files };
}
