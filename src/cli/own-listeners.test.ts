import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownListeners } from './own-listeners.ts';

const MACHINE = ['127.0.0.1', '::1', '192.0.2.10', '2001:db8::10'];

test('nginx listens on every address of the machine, the admin server on those that it is bound to', () => {
  const admin = [
    { address: '192.0.2.10', port: 9180 },
    { address: '::', port: 9181 },
  ];
  assert.deepEqual(
    ownListeners(80, 443, admin, MACHINE).map(({ name, port, addresses }) => [name, port, addresses]),
    [
      ['HTTP port', 80, MACHINE],
      ['HTTPS port', 443, MACHINE],
      ['admin address', 9180, ['192.0.2.10']],
      ['admin address', 9181, MACHINE],
    ],
  );
});
