import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findNginx } from './nginx-installation.ts';

const BUILT_WITH = 'configure arguments: --prefix=/usr/share/nginx --modules-path=/usr/lib/weir-test/modules';
const MODULES = ['ndk_http_module.so', 'ngx_http_lua_module.so'];

/** A tree with an nginx that tells its version and does nothing else. */
function tree(t: TestContext, files: readonly string[], version = '1.26.3', at = 'usr/sbin/nginx'): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'weir-installation-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const script = `#!/bin/sh\necho 'nginx version: nginx/${version}' >&2\necho '${BUILT_WITH}' >&2\n`;
  for (const file of [at, ...files]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), script, { mode: 0o755 });
  }
  return root;
}

const UNPACKED = [
  ...MODULES.map((name) => `usr/lib/weir-test/modules/${name}`),
  'usr/share/lua/5.1/resty/core.lua',
  'usr/lib/x86_64-linux-gnu/lua/5.1/cjson.so',
];

test('an nginx whose packages were unpacked somewhere has its modules and Lua libraries there', async (t) => {
  const root = tree(t, UNPACKED);
  assert.deepEqual(await findNginx(join(root, 'usr/sbin/nginx')), {
    executable: join(root, 'usr/sbin/nginx'),
    version: '1.26.3',
    modules: MODULES.map((name) => join(root, 'usr/lib/weir-test/modules', name)),
    lua: {
      scripts: [join(root, 'usr/share/lua/5.1/?.lua')],
      binaries: [join(root, 'usr/lib/x86_64-linux-gnu/lua/5.1/?.so')],
    },
  });
});

test('an nginx at another place, or without modules beside it, has them where it was built for', async (t) => {
  const elsewhere = tree(t, UNPACKED, '1.26.3', 'opt/nginx');
  const alone = tree(t, []);
  for (const path of [join(elsewhere, 'opt/nginx'), join(alone, 'usr/sbin/nginx')]) {
    await assert.rejects(findNginx(path), {
      code: 'WEIR_NGINX_NO_LUA',
      message: /no Lua module \(\/usr\/lib\/weir-test\/modules\/ndk_http_module\.so, /u,
    });
  }
});

test('an nginx that is too old is told with what to install', async (t) => {
  const root = tree(t, UNPACKED, '1.18.0');
  await assert.rejects(findNginx(join(root, 'usr/sbin/nginx')), {
    code: 'WEIR_NGINX_TOO_OLD',
    message: /is nginx 1\.18\.0; the data plane needs 1\.22\.0 or later/u,
  });
});
