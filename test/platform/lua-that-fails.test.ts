import assert from 'node:assert/strict';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { renderConfiguration } from '../../src/drivers/nginx/conf/render-configuration.ts';
import type { ConfigurationInput } from '../../src/drivers/nginx/conf/configuration.ts';
import type { DataplaneBuild } from '../../src/drivers/nginx/nginx-options.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';
import { echoBackend, freePort, request } from '../integration/nginx-harness.ts';
import { forEachNginx } from './for-each-nginx.ts';

interface Fault {
  readonly name: string;
  /** The compiled program's entry instead of the good one. */
  readonly program: string;
  readonly told: RegExp;
}

const WITH_REFUSED_RECORDS = `local weir = require("dataplane.weir")
local good = weir.control
weir.control = function()
  if ngx.req.get_method() == "POST" then error("no record today") end
  return good()
end
return weir
`;

const FAULTS: readonly Fault[] = [
  { name: 'does not compile', program: 'if then', told: /weir\.lua:1: unexpected symbol near 'then'/u },
  {
    name: 'lacks a module',
    program: 'return require("dataplane.gone")\n',
    told: /module 'dataplane\.gone' not found/u,
  },
  { name: 'fails in init', program: 'error("no luck today", 0)\n', told: /no luck today/u },
  {
    name: 'fails in its workers',
    program:
      'local weir = require("dataplane.weir")\nweir.initWorker = function() error("no work today") end\nreturn weir\n',
    told: /no work today/u,
  },
  { name: 'takes no records', program: WITH_REFUSED_RECORDS, told: /nginx, sent changes, answered 500/u },
];

await forEachNginx((nginx) => {
  for (const { name, program, told } of FAULTS) {
    test(`a program that ${name} replaces none that works, nor is one started with it, and weir says why`, async (t) => {
      const harness = nginx.harness(t);
      const { model, port } = await served(t);
      const build = await spoiled(t, program);
      const refused = ({ message }: Error) => assert.match(message, told) === undefined;
      const good = harness.driver();
      await good.start();
      await good.apply(model, undefined);
      const { pid, configuration } = (await good.observe()).detail;
      await good.stop('leave');

      const bad = harness.driver({ dataplane: async () => build });
      await bad.start();
      await assert.rejects(bad.apply(model, undefined), refused);
      assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
      const now = (await bad.observe()).detail;
      assert.deepEqual([now['pid'], now['configuration']], [pid, configuration]);
      await bad.stop('drain');

      // Nothing runs now: there is no good program to fall back on.
      const first = harness.driver({ dataplane: async () => build, limits: { startTimeout: 3000 } });
      await assert.rejects(
        first.start().then(() => first.apply(model, undefined)),
        refused,
      );
      await assert.rejects(request(port, 'a.example'));
      await first.stop('drain');
      const mended = harness.driver();
      await mended.start();
      await mended.apply(model, undefined);
      assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
    });
  }

  test('a program that is damaged under a running nginx changes nothing at the next reload', async (t) => {
    const harness = nginx.harness(t);
    const { model, port, delta, limited } = await served(t);
    const driver = harness.driver({ limits: { startTimeout: 5000 } });
    await driver.start();
    await driver.apply(model, undefined);
    const [file = ''] = globSync(join(harness.directory, 'dataplane/*/weir.lua'));
    const good = readFileSync(file);
    writeFileSync(file, 'if then');
    await assert.rejects(driver.apply(limited, delta), {
      code: 'WEIR_NGINX_RELOAD',
      message: /former one stays in force/u,
    });
    assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
    writeFileSync(file, good);
    assert.equal((await driver.apply(limited, delta)).reloaded, true);
    assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
  });

  test('nginx -t alone finds no fault in a program that does not load', async (t) => {
    // Why weir runs a new program in an nginx of its own before it trusts it.
    const harness = nginx.harness(t);
    const build = await spoiled(t, 'if then');
    const { model, delta, limited, port } = await served(t);
    const render = (input: ConfigurationInput) => {
      if (input.closed || input.profiles.every(({ bodyLimit }) => bodyLimit !== 4321))
        return renderConfiguration(input);
      const paths = { ...input.settings.paths, dataplane: build.dir };
      return renderConfiguration({ ...input, settings: { ...input.settings, paths } });
    };
    const driver = harness.driver({ render, limits: { startTimeout: 5000 } });
    await driver.start();
    await driver.apply(model, undefined);
    // A fault that nginx's test had found would have been isolated; this one is found by the reload.
    await assert.rejects(driver.apply(limited, delta), { code: 'WEIR_NGINX_RELOAD', message: /unexpected symbol/u });
    assert.deepEqual(await request(port, 'a.example'), { status: 200, body: 'one' });
  });
});

async function served(t: TestContext) {
  const port = await freePort();
  const endpoint = await echoBackend(t, 'one');
  const model = (bodyLimit: number) =>
    sampleModel({
      listeners: [sampleListener('http', port)],
      hosts: [sampleHost('a.example', [sampleRoute('/', 'b', { bodyLimit })])],
      backends: [sampleBackend('b', [[...endpoint]])],
    });
  // A limit that nobody had before needs a place of its own, and so a reload.
  return { port, model: model(0), limited: model(4321), delta: sampleDelta({ hosts: ['default/a.example'] }) };
}

/** A copy of the compiled program with another entry. */
async function spoiled(t: TestContext, entry: string): Promise<DataplaneBuild & { readonly dir: string }> {
  const { dir } = await buildDataplane();
  const copy = mkdtempSync(join(tmpdir(), 'weir-spoiled-'));
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(dir, copy, { recursive: true });
  writeFileSync(join(copy, 'weir.lua'), entry);
  return { dir: copy, hash: basename(copy) };
}
