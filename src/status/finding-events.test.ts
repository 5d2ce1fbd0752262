import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedTime } from '../../test/support/simulated-time.ts';
import { CATALOGUE } from '../diagnostics/catalogue.ts';
import type { Finding } from '../diagnostics/finding.ts';
import type { EventNote, EventSubject } from '../kube/event.ts';
import { eventReason, PROGRAMMED } from './event-reason.ts';
import { FindingEvents } from './finding-events.ts';

const WEB: EventSubject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  namespace: 'shop',
  name: 'web',
  uid: 'uid-1',
};
const MISSING: Finding = {
  code: 'WEIR0103',
  severity: 'error',
  object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
  field: 'spec.rules[0].http.paths[0].backend',
  message: 'Service "web" does not exist.',
  fix: 'Create the Service, or correct its name.',
};

class Desk {
  readonly time = new SimulatedTime();
  readonly said: EventNote[] = [];
  subject: EventSubject | undefined = WEB;
  full = false;
  readonly events = new FindingEvents({
    clock: this.time.clock(),
    identify: ({ name }) => (name === 'web' ? this.subject : undefined),
    record: (note) => {
      if (!this.full) this.said.push(note);
      return !this.full;
    },
  });
}

test('a finding becomes a warning with reason, code, field, message and remedy, once', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  for (let i = 0; i < 100; i++) {
    desk.events.note([MISSING]);
    await desk.time.pass(10_000);
  }
  assert.deepEqual(desk.said, [
    {
      subject: WEB,
      type: 'Warning',
      reason: 'ServiceNotFound',
      message:
        'WEIR0103 spec.rules[0].http.paths[0].backend: Service "web" does not exist. Create the Service, or correct its name.',
    },
  ]);
});

test('a finding is said three seconds after it came up, also beside one that stands for long', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  desk.events.note([MISSING]);
  await desk.time.pass(20_000);
  desk.events.note([MISSING, { ...MISSING, field: 'spec.rules[1].http.paths[0].backend' }]);
  await desk.time.pass(2900);
  assert.equal(desk.said.length, 1);
  await desk.time.pass(200);
  assert.equal(desk.said.length, 2);
});

test('what is over within three seconds is not said', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  for (let i = 0; i < 20; i++) {
    desk.events.note([MISSING]);
    await desk.time.pass(2000);
    desk.events.note([]);
    await desk.time.pass(2000);
  }
  assert.deepEqual(desk.said, []);
});

test('what still stands when an Event’s hour is nearly over is said again', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  desk.events.note([MISSING]);
  await desk.time.pass(44 * 60_000);
  assert.equal(desk.said.length, 1);
  await desk.time.pass(14 * 60_000);
  assert.equal(desk.said.length, 2);
});

test('a message that changes, a finding that comes back, and an object that was made anew are said', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  const steps: (() => void)[] = [
    () => desk.events.note([MISSING]),
    () => desk.events.note([{ ...MISSING, message: 'Service "w" does not exist.' }]),
    () => desk.events.note([]),
    () => desk.events.note([MISSING]),
    () => (desk.subject = { ...WEB, uid: 'uid-2' }),
  ];
  const counts: number[] = [];
  for (const step of steps) {
    step();
    await desk.time.pass(20_000);
    counts.push(desk.said.length);
  }
  assert.deepEqual(counts, [1, 2, 2, 3, 4]);
  assert.equal(desk.said.at(-1)?.subject.uid, 'uid-2');
});

test('only the leader speaks; a new one says what stands', async () => {
  const desk = new Desk();
  desk.events.note([MISSING]);
  await desk.time.pass(60_000);
  assert.equal(desk.said.length, 0);
  desk.events.leading(true);
  await desk.time.pass(0);
  assert.equal(desk.said.length, 1);
  desk.events.leading(false);
  await desk.time.pass(3_600_000 * 3);
  assert.equal(desk.said.length, 1);
});

test('what could not be said is tried again', async () => {
  const desk = new Desk();
  desk.full = true;
  desk.events.leading(true);
  desk.events.note([MISSING]);
  await desk.time.pass(30_000);
  desk.full = false;
  await desk.time.pass(60_000);
  assert.equal(desk.said.length, 1);
});

test('an object that the cluster doesn’t have, and what is only for information, make no Event', async () => {
  const desk = new Desk();
  desk.events.leading(true);
  desk.events.note([
    { ...MISSING, object: { kind: 'Configuration', namespace: '', name: 'weir' } },
    { ...MISSING, severity: 'info' },
  ]);
  await desk.time.pass(60_000);
  assert.deepEqual(desk.said, []);
});

test('every finding of the catalogue has a reason of its own that an Event may have', () => {
  const reasons = CATALOGUE.map(({ code }) => eventReason(code));
  assert.ok(CATALOGUE.length > 30);
  for (const reason of reasons) assert.match(reason, /^[A-Z][A-Za-z0-9]{2,127}$/);
  assert.equal(new Set([...reasons, PROGRAMMED]).size, reasons.length + 1);
});
