import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cidrContains, parseCidr, parseIpAddress } from './ip-address.ts';

test('both families are parsed to their bytes', () => {
  assert.deepEqual(parseIpAddress('10.0.0.255')?.bytes, [10, 0, 0, 255]);
  assert.deepEqual(parseIpAddress('2001:db8::1:2')?.bytes, [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2]);
  assert.deepEqual(parseIpAddress('::')?.bytes, Array(16).fill(0));
  assert.deepEqual(parseIpAddress('::ffff:1.2.3.4')?.bytes.slice(10), [255, 255, 1, 2, 3, 4]);
});

test('what is not plainly an address is none', () => {
  for (const text of [
    '',
    'localhost',
    '[::1]',
    '1.2.3',
    '010.0.0.1',
    '1.2.3.4:80',
    'fe80::1%eth0',
    'unix:/x',
    '1.2.3.4\n',
  ]) {
    assert.equal(parseIpAddress(text), undefined, JSON.stringify(text));
  }
});

test('a range holds the addresses that share its first bits', () => {
  const contains = (range: string, address: string) => cidrContains(parseCidr(range)!, parseIpAddress(address)!);
  assert.ok(contains('10.0.0.0/8', '10.255.0.1'));
  assert.ok(!contains('10.0.0.0/9', '10.128.0.1'));
  assert.ok(contains('2001:db8::/33', '2001:db8:7fff::1'));
  assert.ok(!contains('2001:db8::/33', '2001:db8:8000::1'));
  assert.ok(contains('0.0.0.0/0', '1.2.3.4'));
  assert.ok(!contains('0.0.0.0/0', '::1'));
  assert.ok(contains('1.2.3.4', '1.2.3.4'));
});

test('a range with more bits than its family has is none', () => {
  for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/x', 'all'])
    assert.equal(parseCidr(text), undefined, text);
});
