/** A Debian package whose files go into the image. */
export interface ImagePackage {
  readonly name: string;
  /** What needs it. */
  readonly why: string;
  /** Globs of the only files that are taken; left out: all but what EXCLUDED names. */
  readonly only?: readonly string[];
}

/** The release that the image is made of. */
export const IMAGE_RELEASE = 'trixie';

/**
 * All that the image holds of Debian, and the only list of it. Dependencies are not followed: maintainer scripts never
 * run, so that what only they need (debconf, perl, adduser) stays out. What a library needs is checked in the result.
 */
export const IMAGE_PACKAGES: readonly ImagePackage[] = [
  {
    name: 'base-files',
    why: 'the release, by which scanners find their advisories',
    only: ['etc/*', 'usr/lib/os-release'],
  },
  { name: 'libc6', why: 'everything' },
  { name: 'libgcc-s1', why: 'libstdc++' },
  { name: 'libstdc++6', why: 'weir' },
  { name: 'libatomic1', why: 'weir' },
  { name: 'ca-certificates', why: 'authorities for backends by HTTPS and for API servers' },
  { name: 'nginx', why: 'the load balancer' },
  { name: 'libcrypt1', why: 'nginx: passwords of basic authentication' },
  { name: 'libpcre2-8-0', why: 'nginx: regular expressions' },
  { name: 'libssl3t64', why: 'nginx: TLS' },
  { name: 'zlib1g', why: 'nginx: gzip; libssl' },
  { name: 'libzstd1', why: 'libssl' },
  { name: 'libnginx-mod-http-lua', why: 'weir’s program inside nginx' },
  { name: 'libnginx-mod-http-ndk', why: 'the Lua module' },
  { name: 'libnginx-mod-stream', why: 'TCP and UDP' },
  { name: 'libluajit-5.1-2', why: 'the Lua module' },
  { name: 'lua-resty-core', why: 'the Lua module' },
  { name: 'lua-resty-lrucache', why: 'lua-resty-core' },
  {
    name: 'lua-cjson',
    why: 'weir’s program inside nginx',
    only: ['usr/lib/*/lua/5.1/cjson.so', 'usr/lib/*/liblua5.1-cjson.so.*'],
  },
  { name: 'tini', why: 'the first process: reaps what nginx leaves behind', only: ['usr/bin/tini'] },
  {
    name: 'util-linux',
    why: 'hands the right to bind low ports on, with the host’s network',
    only: ['usr/bin/setpriv'],
  },
  { name: 'libcap-ng0', why: 'setpriv', only: ['usr/lib/*/libcap-ng.so.*'] },
];

/** Globs of what no package brings: for people, for compilers, for other configurations than weir’s. */
export const EXCLUDED: readonly string[] = [
  'usr/share/{man,info,lintian,bug,locale,doc-base,nginx,vim,gdb,gcc}/**',
  'usr/share/doc/**/!(copyright)',
  'usr/lib/*/{gconv,audit}/**',
  'usr/lib/*/{libmemusage,libpcprofile,libc_malloc_debug}.so*',
  'usr/lib/*/{engines-3,ossl-modules}/**',
  'usr/{sbin,bin}/{update-ca-certificates,ldconfig}',
  'etc/{nginx,init.d,default,logrotate.d,ufw,ld.so.conf.d,ca-certificates,update-motd.d,systemd,apt}/**',
  'etc/{issue,issue.net,motd}',
  'usr/lib/{systemd,tmpfiles.d}/**',
  'var/**',
];
