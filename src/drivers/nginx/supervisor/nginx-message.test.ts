import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureLines, nginxComplaint, nginxMessage } from './nginx-message.ts';

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

test('what nginx goes on after is not told as the reason, nor is what a connection caused', () => {
  const limit = '2026/11/30 18:00:03 [alert] 9#9: setrlimit(RLIMIT_NOFILE, 65536) failed (1: Operation not permitted)';
  const client = '2026/11/30 18:00:03 [error] 9#9: *7 connect() failed (111: Connection refused) while connecting';
  const exited = '2026/11/30 18:00:01 [alert] 7#7: worker process 9 exited on signal 11';
  const reasons = [
    '2026/11/30 18:00:00 [emerg] 7#7: bind() to 0.0.0.0:80 failed (98: Address already in use)',
    '2026/11/30 18:00:00 [crit] 7#7: open() "/state/run/a" failed (13: Permission denied)',
    '2026/11/30 18:00:00 [error] 7#7: init_by_lua error: init_by_lua:1: boom',
  ];
  for (const reason of reasons) {
    const told = nginxMessage([reason, exited, limit, client].join('\n'));
    assert.equal(told, reason.slice(reason.indexOf('7#7: ') + 5));
  }
  assert.equal(nginxMessage([exited, limit, client].join('\n')), 'worker process 9 exited on signal 11');
  const notice = '2026/11/30 18:00:00 [notice] 7#7: signal 1 (SIGHUP) received, reconfiguring';
  assert.equal(nginxMessage([notice, limit, client].join('\n')), undefined);
  assert.equal(nginxMessage('nginx: invalid option: "x"\n'), 'nginx: invalid option: "x"');
});

test('no output is no complaint', () => {
  assert.equal(nginxMessage(''), undefined);
});

test('the line of the configuration that nginx complains about is told, where it names one', () => {
  const invalid = 'nginx: [emerg] "client_max_body_size" directive invalid value in /run/x/nginx.conf.next:1234\n';
  assert.deepEqual(nginxComplaint(invalid), { message: '"client_max_body_size" directive invalid value', line: 1234 });
  const unbound = 'nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\n';
  assert.equal(nginxComplaint(unbound)?.line, undefined);
  assert.equal(nginxComplaint(''), undefined);
});

test('what ends a reload is told from what clients and backends cause meanwhile', () => {
  const noise = [
    '2026/01/01 00:00:00 [error] 7#7: *1 connect() failed (111: Connection refused) while connecting to upstream',
    '2026/01/01 00:00:00 [crit] 7#7: *2 SSL_do_handshake() failed',
    '2026/01/01 00:00:00 [error] 7#7: *3 [lua] route.lua:1: initial problem',
  ];
  assert.equal(failureLines(noise.join('\n')), '');
  const init = '2026/01/01 00:00:00 [error] 9#9: init_by_lua error: init_by_lua:1: boom';
  const worker = '2026/01/01 00:00:00 [error] 10#10: init_worker_by_lua error: init_worker_by_lua:1: boom';
  const emergency = '2026/01/01 00:00:00 [emerg] 9#9: no such file';
  for (const line of [init, worker, emergency]) assert.equal(failureLines([...noise, line].join('\n')), line);
});

test('what Lua says about a file on a second line belongs to the complaint, also as the reason of a failed reload', () => {
  const log = [
    "2026/11/30 10:00:00 [error] 7#7: init_by_lua error: error loading module 'weir' from file '/state/p/weir.lua':",
    "\t/state/p/weir.lua:3: unexpected symbol near 'then'",
    'stack traceback:',
    "\t[C]: in function 'require'",
    '',
  ].join('\n');
  const whole =
    "init_by_lua error: error loading module 'weir' from file 'p/weir.lua': p/weir.lua:3: unexpected symbol near 'then'";
  assert.equal(nginxMessage(log, ['/state']), whole);
  assert.equal(nginxMessage(failureLines(log), ['/state']), whole);
});
