import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { NginxError } from '../nginx-error.ts';

export interface NginxInstallation {
  /** Real path, as /proc shows it. */
  readonly executable: string;
  readonly version: string;
  /** Files to load before anything else, in this order. */
  readonly modules: readonly string[];
  /** Lua's search patterns for the libraries that came with it; empty where Lua finds them by itself. */
  readonly lua: LuaPatterns;
}

export interface LuaPatterns {
  /** Of scripts (`/usr/share/lua/5.1/?.lua`). */
  readonly scripts: readonly string[];
  /** Of shared objects. */
  readonly binaries: readonly string[];
}

/** The first with `reuseport`, the client-hello hook's Lua module and everything else the data plane uses in Debian. */
const OLDEST = [1, 22, 0] as const;
const PACKAGES = 'apt-get install nginx libnginx-mod-http-lua lua-resty-core lua-cjson';
const INSTALLED = '/usr/sbin/nginx';
const PLACES = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/usr/local/nginx/sbin'];

/** Finds nginx (`wanted`: its path, else the search path and the usual places) and what it was built with. */
export async function findNginx(wanted?: string): Promise<NginxInstallation> {
  const executable = wanted === undefined ? searchExecutable() : executableAt(wanted);
  if (executable === undefined) {
    const where = wanted ?? 'the search path and /usr/sbin';
    throw new NginxError(
      'WEIR_NGINX_MISSING',
      `nginx was not found in ${where}; nothing is served. On Debian: ${PACKAGES}`,
      {
        remedy: PACKAGES,
      },
    );
  }
  const { stderr } = await promisify(execFile)(executable, ['-V']);
  const version = /nginx version: [^/\s]+\/([0-9.]+)/u.exec(stderr)?.[1] ?? '0';
  if (!isRecent(version)) {
    const message = `${executable} is nginx ${version}; the data plane needs ${OLDEST.join('.')} or later. On Debian 12 or later: ${PACKAGES}`;
    throw new NginxError('WEIR_NGINX_TOO_OLD', message, { remedy: PACKAGES });
  }
  const builtIn = /--add-module=\S*(?:ngx_lua|lua-nginx-module)/u.test(stderr);
  const prefix = /--prefix=(\S+)/u.exec(stderr)?.[1] ?? '/usr/share/nginx';
  const directory = /--modules-path=(\S+)/u.exec(stderr)?.[1] ?? join(prefix, 'modules');
  const root = rootOf(executable, directory);
  const modules = builtIn ? [] : luaModules(executable, join(root, directory));
  return { executable, version, modules, lua: luaPatterns(root) };
}

/**
 * Where the packages of an nginx were unpacked (`dpkg-deb -x`) instead of being installed: its modules and Lua libraries
 * lie below it, and those of this machine fit another release. Empty: it is installed.
 */
function rootOf(executable: string, modules: string): string {
  if (!executable.endsWith(INSTALLED)) return '';
  const root = executable.slice(0, -INSTALLED.length);
  return existsSync(join(root, modules)) ? root : '';
}

function luaPatterns(root: string): LuaPatterns {
  if (root === '') return { scripts: [], binaries: [] };
  const binaries = globSync(join(root, 'usr/lib/*/lua/5.1/')).map((directory) => join(directory, '?.so'));
  return { scripts: [join(root, 'usr/share/lua/5.1/?.lua')], binaries };
}

function luaModules(executable: string, directory: string): readonly string[] {
  const files = ['ndk_http_module.so', 'ngx_http_lua_module.so'].map((name) => join(directory, name));
  const missing = files.filter((file) => !existsSync(file));
  if (missing.length > 0) {
    const message = `${executable} has no Lua module (${missing.join(', ')} is not there); nothing is served. On Debian: ${PACKAGES}`;
    throw new NginxError('WEIR_NGINX_NO_LUA', message, { remedy: PACKAGES });
  }
  return files;
}

function isRecent(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of OLDEST.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

function searchExecutable(): string | undefined {
  const directories = [
    ...(process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== ''),
    ...PLACES,
  ];
  for (const directory of directories) {
    const found = executableAt(join(directory, 'nginx'));
    if (found !== undefined) return found;
  }
  return undefined;
}

function executableAt(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
