import { IMAGE_USER } from './root-file-system.ts';

/** How the image is started; deploy/image/Dockerfile says the same. */
export const IMAGE_START = {
  user: `${IMAGE_USER}:${IMAGE_USER}`,
  // Where the state directory is unless a setting says otherwise. Nothing else may be written.
  environment: ['PATH=/usr/sbin:/usr/bin', 'XDG_STATE_HOME=/var/lib', 'HOME=/var/lib/weir', 'TMPDIR=/var/lib/weir'],
  entrypoint: ['/usr/bin/tini', '--', '/usr/bin/weir'],
  command: ['run'],
  volumes: ['/var/lib/weir'],
} as const;
