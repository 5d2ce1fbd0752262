import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { block, directive } from '../../src/drivers/nginx/conf/build-directive.ts';
import { print } from '../../src/drivers/nginx/conf/print.ts';
import { findNginx } from '../../src/drivers/nginx/supervisor/nginx-installation.ts';
import { request } from '../support/clients/http-client.ts';
import { eventually, freePort, temporaryDirectory } from '../support/scope.ts';

it('nginx reads every printed literal as exactly its characters', async (t) => {
  const directory = temporaryDirectory(t, 'printer');
  const port = await freePort();
  const printable = fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'\\"\'{};#=~ ntr*/'), maxLength: 12 }),
    )
    .filter((text) => text !== '' && text.isWellFormed() && !/[\p{Cc}$]/u.test(text));
  const samples = fc.sample(printable, 300);
  const path = join(directory, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) =>
    directive(`${name}_temp_path`, join(directory, name)),
  );
  const tree = [
    directive('pid', join(directory, 'nginx.pid')),
    block('events', [], []),
    block(
      'http',
      [],
      [
        directive('access_log', 'off'),
        ...temporary,
        block(
          'server',
          [],
          [
            directive('listen', `127.0.0.1:${port}`),
            ...samples.map((text, index) => block('location', ['=', `/${index}`], [directive('return', 200, text)])),
          ],
        ),
      ],
    ),
  ];
  writeFileSync(path, print(tree));
  const { executable } = await findNginx(process.env['WEIR_NGINX']);
  const child = spawn(executable, [
    '-e',
    join(directory, 'error.log'),
    '-p',
    directory,
    '-c',
    path,
    '-g',
    'daemon off;',
  ]);
  t.after(() => child.kill('SIGTERM'));
  await eventually('nginx answers', async () => (await request({ port, path: '/0' })).status === 200);
  for (const [index, text] of samples.entries()) {
    assert.equal((await request({ port, path: `/${index}` })).body, text);
  }
});
