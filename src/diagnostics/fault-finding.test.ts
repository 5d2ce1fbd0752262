import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultFinding, faultText } from './fault-finding.ts';

const ORIGIN = { object: { kind: 'Secret', namespace: 'shop', name: 'web' }, field: '' };

test('a fault names the object, what weir did, the exception and its place', () => {
  const { code, severity, object, message } = faultFinding(
    ORIGIN,
    'reading it',
    new TypeError('x is\nno list'),
    'All else is served',
  );
  assert.deepEqual([code, severity, object], ['WEIR0500', 'error', ORIGIN.object]);
  assert.match(
    message,
    /^weir failed at reading it: TypeError: x is no list \(fault-finding\.test\.ts:[0-9]+\)\. All else is served\.$/u,
  );
});

test('of an exception about a secret the message is left out', () => {
  const { message } = faultFinding(ORIGIN, 'reading it', new Error('bad key hunter2'), 'Kept', { secret: true });
  assert.doesNotMatch(message, /hunter2/u);
  assert.match(message, /Error \(fault-finding/u);
  assert.doesNotMatch(faultText('hunter2', true), /hunter2/u);
});

test('a long message is cut', () => {
  assert.ok(faultText(new Error('x'.repeat(5000))).length < 400);
});
