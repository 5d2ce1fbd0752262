import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { putService } from '../../test/support/fake-translator.ts';
import { backendPart, mutableModel } from '../../test/support/model-parts.ts';
import { eventually, temporaryDirectory } from '../../test/support/scope.ts';
import { RigController, RigProxy } from '../../test/support/stream-rig.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { decodeCheckedLine, encodeCheckedLine } from '../lib/checked-line.ts';
import { STREAM_VERSION } from './messages.ts';

const QUICK = { beatMs: 50, patienceMs: 400 };
const keys = (proxy: RigProxy) => [...proxy.driver.inForce.keys()].sort();

async function pair(context: TestContext, names: readonly string[] = ['web', 'api']) {
  const controller = await RigController.start(context);
  controller.source.sink.changed(names.map((name, index) => putService(name, index + 1)));
  controller.source.sink.synced();
  const proxy = await RigProxy.start(context, [controller.address]);
  await eventually('the model to arrive', () => proxy.driver.inForce.size === names.length);
  return { controller, proxy };
}

test('nothing is sent before the controller has read everything', async (context) => {
  const controller = await RigController.start(context);
  controller.source.sink.changed([putService('web', 1)]);
  const saved = mutableModel();
  saved.backends.set('old', backendPart('old', 9));
  const proxy = await RigProxy.start(context, [controller.address], { saved });
  await eventually('the refusal to be told', () =>
    /not read everything/.test(proxy.controller.source().problems.join()),
  );
  assert.deepEqual(keys(proxy), ['old']);
  assert.equal(controller.controller.ready(), false);
  controller.source.sink.synced();
  await eventually('the model to arrive', () => keys(proxy).join() === 'web');
  assert.equal(controller.controller.ready(), true);
});

test('what a proxy has already isn’t sent, and its load balancer learns of nothing', async (context) => {
  const controller = await RigController.start(context);
  controller.source.sink.changed([putService('same', 1), putService('other', 2)]);
  controller.source.sink.synced();
  const saved = mutableModel();
  saved.backends.set('same', backendPart('same', 1));
  saved.backends.set('other', backendPart('other', 7));
  saved.backends.set('gone', backendPart('gone', 3));
  const proxy = await RigProxy.start(context, [controller.address], { saved });
  await eventually('the sync', () => proxy.controller.source().synced);
  assert.equal(await controller.settled(), true);
  assert.deepEqual(proxy.driver.applies, [{ backends: 'everything' }, { backends: ['gone', 'other'] }]);
});

test('a cut stream is resumed with what changed meanwhile', async (context) => {
  const { controller, proxy } = await pair(context);
  controller.server.close().catch(() => undefined);
  await eventually('the loss to be noticed', () => !proxy.controller.source().healthy);
  controller.source.sink.changed([putService('late', 5)]);
  await controller.server.listen();
  await eventually('the change to arrive', () => keys(proxy).includes('late'));
  assert.deepEqual(proxy.driver.applies.at(-1), { backends: ['late'] });
});

test('acknowledged is what is in force: settling waits for every proxy', async (context) => {
  const { controller, proxy } = await pair(context);
  proxy.driver.hold();
  controller.source.sink.changed([putService('slow', 5)]);
  let settled = false;
  const waiting = controller.settled().then((done) => (settled = done));
  await eventually('the apply to begin', () => proxy.driver.applies.at(-1)?.backends[0] === 'slow');
  assert.equal(settled, false);
  proxy.driver.release();
  await waiting;
  assert.equal(settled, true);
});

test('a slow proxy delays no other, and gets merged what came meanwhile', async (context) => {
  const { controller, proxy } = await pair(context);
  const quick = await RigProxy.start(context, [controller.address], { name: 'two' });
  await eventually('the second to follow', () => quick.driver.inForce.size === 2);
  proxy.driver.hold();
  for (let port = 1; port <= 50; port++) {
    controller.source.sink.changed([putService(`s${port}`, port)]);
    await eventually('the quick one to have it', () => keys(quick).includes(`s${port}`));
  }
  const before = proxy.driver.applies.length;
  proxy.driver.release();
  await eventually('the slow one to catch up', () => proxy.driver.inForce.size === 52);
  assert.ok(proxy.driver.applies.length - before <= 2, `${proxy.driver.applies.length - before} applies`);
});

test('failures, quarantined objects and reloads of a proxy are told by its controller', async (context) => {
  const { controller, proxy } = await pair(context);
  const finding: Finding = {
    code: 'WEIR0407',
    severity: 'error',
    object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
    field: 'spec',
    message: 'Refused.',
    fix: 'Mend it.',
  };
  proxy.driver.quarantined = [finding];
  // For as long as nobody has seen it.
  proxy.driver.applyErrors = Array.from({ length: 1000 }, () => new Error('disk on fire'));
  controller.source.sink.changed([putService('new', 9)]);
  await eventually('the failure to be told', () =>
    controller.controller.status().drivers[0]?.error?.includes('disk on fire'),
  );
  proxy.driver.applyErrors = [];
  await eventually('it to be overcome', () => controller.controller.isCaughtUp, { withinMs: 20_000 });
  assert.deepEqual(
    controller.controller.status().quarantined.map(({ message }) => message),
    ['Refused.'],
  );
  proxy.controller.noteReload('nginx', 'profile', 'grpc');
  await eventually('the reload to be told', () => controller.controller.status().reloads === 1);
  assert.equal(controller.controller.status().lastReloadReasons[0]?.driver, 'proxy/one');
});

test('a proxy that has gone is no longer shown, and settling doesn’t wait for it', async (context) => {
  const { controller, proxy } = await pair(context);
  await proxy.stop();
  await eventually('it to be gone', () => controller.controller.status().drivers.length === 0);
  controller.source.sink.changed([putService('new', 9)]);
  assert.equal(await controller.settled(), true);
});

test('a question about a pattern is answered by a proxy, or by nobody', async (context) => {
  const { controller, proxy } = await pair(context);
  const question = { pattern: '^/a', subject: '/a', ignoreCase: false, anchored: true };
  assert.deepEqual(await controller.server.match(question), { matched: true, captures: ['^/a'] });
  await proxy.stop();
  await eventually('it to be gone', () => controller.server.connected.length === 0);
  await assert.rejects(controller.server.match(question), { code: 'stream-no-proxy' });
});

test('two proxies of one name are told apart, and the second is turned away', async (context) => {
  const { controller } = await pair(context);
  const second = await RigProxy.start(context, [controller.address]);
  await eventually('the refusal to be told', () => /named one/.test(second.controller.source().problems.join()));
  assert.equal(controller.server.connected.length, 1);
});

/** Between a proxy and its controller: passes bytes on until it is told otherwise. */
async function between(context: TestContext, target: string) {
  const path = join(temporaryDirectory(context, 'between'), 'socket');
  const open: Socket[] = [];
  let deaf = false;
  let damage = -1;
  let meter = 0;
  const server = createServer((socket) => {
    const onward = connect(target.slice('unix:'.length));
    open.push(socket, onward);
    for (const each of [socket, onward]) each.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (!deaf) onward.write(chunk);
    });
    onward.on('data', (chunk: Buffer) => {
      meter += chunk.length;
      if (deaf) return;
      if (damage < 0) return void socket.write(chunk);
      const kept = Buffer.from(chunk.subarray(0, Math.min(damage, chunk.length - 1)));
      damage = -1;
      socket.write(kept);
      socket.destroy();
      onward.destroy();
    });
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  context.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    address: `unix:${path}`,
    deafen: (value: boolean) => (deaf = value),
    cutAfter: (bytes: number) => (damage = bytes),
    inject: (text: string) => open.at(-2)?.write(text),
    bytes: () => meter,
  };
}

test('a stream that is cut in the middle of a frame is taken up again, and loses nothing', async (context) => {
  const controller = await RigController.start(context);
  controller.source.sink.changed([putService('web', 1)]);
  controller.source.sink.synced();
  const wire = await between(context, controller.address);
  const proxy = await RigProxy.start(context, [wire.address]);
  await eventually('the model to arrive', () => keys(proxy).join() === 'web');
  for (let round = 1; round <= 5; round++) {
    wire.cutAfter(round * 37);
    controller.source.sink.changed([putService(`round${round}`, round), putService('web', round + 10)]);
    await eventually('the change to arrive', () => keys(proxy).includes(`round${round}`));
  }
  assert.equal(keys(proxy).length, 6);
});

test('garbage ends the connection, is told, and changes nothing', async (context) => {
  const controller = await RigController.start(context);
  controller.source.sink.changed([putService('web', 1)]);
  controller.source.sink.synced();
  const wire = await between(context, controller.address);
  const proxy = await RigProxy.start(context, [wire.address]);
  await eventually('the model to arrive', () => keys(proxy).join() === 'web');
  wire.inject('00000000 {"delete":"backends","key":"web"}\n');
  await eventually('it to be told', () => proxy.events.some((event) => /damaged/.test(event)));
  await eventually('it to follow again', () => proxy.controller.source().healthy);
  assert.deepEqual(keys(proxy), ['web']);
});

for (const first of ['proxy', 'controller'] as const) {
  test(`a connection on which nothing comes any more is given up by the ${first} and made anew`, async (context) => {
    const timing = (side: string) => (side === first ? QUICK : { beatMs: QUICK.beatMs });
    const controller = await RigController.start(context, timing('controller'));
    controller.source.sink.changed([putService('web', 1)]);
    controller.source.sink.synced();
    const wire = await between(context, controller.address);
    const proxy = await RigProxy.start(context, [wire.address], timing('proxy'));
    await eventually('the model to arrive', () => keys(proxy).join() === 'web');
    wire.deafen(true);
    const { events } = first === 'proxy' ? proxy : controller;
    await eventually('it to notice', () => events.some((event) => /nothing was heard/.test(event)));
    await eventually('the controller to know', () => controller.server.connected.length === 0);
    wire.deafen(false);
    controller.source.sink.changed([putService('api', 2)]);
    await eventually('the change to arrive', () => keys(proxy).join() === 'api,web', { withinMs: 20_000 });
  });
}

test('a controller of another version of the stream is named, with what to do', async (context) => {
  const path = join(temporaryDirectory(context, 'version'), 'socket');
  const heard: unknown[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard.push(decodeCheckedLine(chunk.toString().trimEnd()));
      const welcome = {
        type: 'welcome',
        weir: 'model-stream',
        version: 99,
        software: '9.9.9',
        controller: 'new',
        epoch: 'e',
      };
      socket.write(encodeCheckedLine({ ...welcome, health: { healthy: true, problems: [] } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  context.after(() => void server.close());
  const proxy = await RigProxy.start(context, [`unix:${path}`]);
  await eventually('it to be told', () =>
    /weir 9\.9\.9\) speaks version 99 .* Run the same version/.test(proxy.controller.source().problems.join()),
  );
  assert.deepEqual((heard[0] as { versions: unknown }).versions, [STREAM_VERSION]);
});

test('a proxy of another version of the stream is refused by the controller, with what to do', async (context) => {
  const controller = await RigController.start(context);
  controller.source.sink.synced();
  const socket = connect(controller.address.slice('unix:'.length));
  const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
  socket.write(
    encodeCheckedLine({
      type: 'hello',
      weir: 'model-stream',
      versions: [98],
      software: '0.0.1',
      name: 'old',
      instance: 'i',
    }),
  );
  assert.match(await answer, /"stream-version".*weir 0\.0\.1\) 98.*Run the same version/);
  assert.match(controller.events.join(), /refused: the controller \(weir 1\.2\.3\)/);
  socket.destroy();
});

test('ten thousand parts are compared by digest, and none of them is sent again', async (context) => {
  const controller = await RigController.start(context);
  const count = 10_000;
  controller.source.sink.changed(
    Array.from({ length: count }, (_, index) => putService(`s${index}`, (index % 60_000) + 1)),
  );
  controller.source.sink.synced();
  const wire = await between(context, controller.address);
  const began = performance.now();
  const proxy = await RigProxy.start(context, [wire.address]);
  await eventually('the model to arrive', () => proxy.driver.inForce.size === count, { withinMs: 60_000 });
  const first = performance.now() - began;
  const bytes = wire.bytes();
  const saved = mutableModel();
  for (const [key, part] of proxy.controller.model.backends) saved.backends.set(key, structuredClone(part));
  await proxy.stop();
  await eventually('it to be gone', () => controller.server.connected.length === 0);
  const again = performance.now();
  const second = await RigProxy.start(context, [wire.address], { saved });
  await eventually('the sync', () => second.controller.source().synced, { withinMs: 60_000 });
  assert.equal(await controller.settled(), true);
  context.diagnostic(
    `${count} parts: ${Math.round(first)} ms and ${bytes} bytes from nothing, ${Math.round(performance.now() - again)} ms and ${wire.bytes() - bytes} bytes to find that nothing differs`,
  );
  assert.ok(wire.bytes() - bytes < 5000, `${wire.bytes() - bytes} bytes`);
  assert.deepEqual(second.driver.applies, [{ backends: 'everything' }]);
});
