import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nginxMessage } from './nginx-message.ts';

test('a complaint of nginx loses its time, process and paths', () => {
  const output = [
    '2026/11/30 18:00:00 [warn] 12#12: something else',
    'nginx: [emerg] "client_max_body_size" directive invalid value in /var/lib/weir/run/nginx.conf.next:12',
    'nginx: configuration file /var/lib/weir/run/nginx.conf.next test failed',
  ].join('\n');
  assert.equal(nginxMessage(output), '"client_max_body_size" directive invalid value');
});

test('of a log the last line of the gravest kind is told, with our directories cut off', () => {
  const log = [
    '2026/11/30 18:00:00 [emerg] 7#7: open() "/state/run/a" failed',
    '2026/11/30 18:00:01 [emerg] 7#7: bind() to 0.0.0.0:80 failed (98: Address already in use)',
    '2026/11/30 18:00:02 [error] 7#7: *3 no such thing',
  ].join('\n');
  assert.equal(nginxMessage(log, ['/state']), 'bind() to 0.0.0.0:80 failed (98: Address already in use)');
  assert.equal(nginxMessage(log.split('\n')[0] ?? '', ['/state']), 'open() "run/a" failed');
});

test('no output is no complaint', () => {
  assert.equal(nginxMessage(''), undefined);
});
