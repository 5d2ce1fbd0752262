import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { ingress } from '../support/manifests.ts';
import { type CommandResult, runCommand } from '../support/run-command.ts';
import type { Scope } from '../support/scope.ts';

const ESCAPE = String.fromCharCode(27);

/** A folder with something to say about: its Ingress names a Service that isn't there. */
function wrongFolder(scope: Scope): string {
  const manifests = [ingress({ name: 'web', host: 'shop.example', paths: [{ service: 'gone' }] })];
  return new ManifestFolder(scope, { 'a.yaml': manifests }).path;
}

test('version: weir, Node and nginx, as text, JSON and YAML', async () => {
  const { code, out, err } = await runCommand(['version']);
  assert.deepEqual([code, err], [0, '']);
  const [, version, nginx, nginxPath] =
    /^weir ([0-9]+\.[0-9]+\.[0-9]+)\nNode \S+ \(\S+\)\nnginx ([0-9.]+) \((\/\S+)\)\n$/.exec(out) ?? [];
  const facts = JSON.parse((await runCommand(['version', '-o', 'json'])).out) as Record<string, string>;
  const { node } = process.versions;
  assert.deepEqual(facts, { weir: version, node, platform: `linux-${process.arch}`, nginx, nginxPath });
  assert.ok(nginx !== undefined && out.includes(`Node ${node} (`), out);
  assert.equal((await runCommand(['version', '-o', 'yaml'])).out.split('\n')[0], `weir: ${version}`);
  assert.equal((await runCommand(['--version'])).out.trim(), version);
});

test('an unknown verb or flag, a missing or a wrong value: 2, with a hint, and nothing on standard output', async () => {
  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/Usage: weir/],
    [/unknown command 'chek'\n\(Did you mean check\?\)/, 'chek'],
    [/unknown option '--filenam'\n\(Did you mean --filename\?\)/, 'check', '--filenam', 'x'],
    [/unknown option '--http-prot'\n\(Did you mean --http-port\?\)/, 'run', '--http-prot', '8080'],
    [/nothing says which manifests\.\nGive -f DIR/, 'check'],
    [/argument missing/, 'check', '-f'],
    [/'xml' is invalid\. Allowed choices are text, json, yaml\./, 'status', '-o', 'xml'],
    [/too many arguments|unknown/, 'version', 'now'],
    [/"soon" is not a duration[^]*30s or 2m/, 'status', '--wait', 'soon'],
  ];
  for (const [words, ...args] of cases) {
    const { code, out, err } = await runCommand(args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
});

test('help goes to standard output, names every verb and the exit statuses, and is no error', async () => {
  const { code, out, err } = await runCommand(['--help']);
  assert.deepEqual([code, err], [0, '']);
  for (const verb of ['run', 'check', 'render', 'explain', 'status', 'version']) {
    assert.match(out, new RegExp(`^  ${verb} `, 'm'));
    const own = await runCommand([verb, '--help']);
    assert.deepEqual([own.code, own.err], [0, ''], verb);
    assert.match(own.out, new RegExp(`^Usage: weir ${verb} `));
  }
  assert.match(out, /Exit status: 0 ok, 1 findings, 2 bad usage or unreadable input, 3 /);
});

test('data goes to standard output, words to standard error: what is asked for as JSON is JSON and nothing else', async (context) => {
  const folder = wrongFolder(context);
  const verbs = [
    ['check', '-f', folder],
    ['render', '-f', folder, '--to', 'model'],
    ['render', '-f', folder, '--to', 'nginx'],
    ['explain', 'http://shop.example/', '-f', folder],
    ['explain', 'annotation', 'canary'],
    ['explain', 'code', 'WEIR0103'],
    ['version'],
  ];
  for (const verb of verbs) {
    const { out } = await runCommand([...verb, '-o', 'json'], { env: { FORCE_COLOR: '1' } });
    assert.equal(typeof JSON.parse(out), 'object', verb.join(' '));
  }
  const { out, err } = await runCommand(['check', '-f', folder, '-o', 'json']);
  assert.match(err, /1 object: 1 error/);
  assert.ok(!out.includes('1 object'));
});

test('colours are only for terminals: none in a pipe, FORCE_COLOR asks for them, NO_COLOR forbids them', async (context) => {
  const folder = wrongFolder(context);
  const coloured = async (env: Record<string, string>, ...args: string[]) => {
    const { out, err }: CommandResult = await runCommand(args, { env });
    return (out + err).includes(ESCAPE);
  };
  for (const args of [
    ['check', '-f', folder],
    ['check', '-f', `${folder}/nothing`],
  ]) {
    assert.equal(await coloured({}, ...args), false);
    assert.equal(await coloured({ FORCE_COLOR: '1' }, ...args), true);
    assert.equal(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }, ...args), false);
  }
});
