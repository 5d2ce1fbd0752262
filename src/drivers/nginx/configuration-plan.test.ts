import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleListener, sampleOrigin } from '../testing/sample-model.ts';
import type { NginxSettings } from './conf/configuration.ts';
import { listenersText, planConfiguration, type WantedConfiguration } from './configuration-plan.ts';
import { builtInProfiles } from './profiles/built-in-profiles.ts';
import type { RunningConfiguration } from './supervisor/running-configuration.ts';
import { defaultZones, largerZones } from './zones.ts';

const SETTINGS = { paths: { dataplane: '/dataplane/1' } } as NginxSettings;
const BUILT_IN = builtInProfiles(1_048_576);
const FIVE = { name: '@http_body_5m', protocol: 'http', bodyLimit: 5_242_880, origins: [sampleOrigin('web')] } as const;

function wanted(more: Partial<WantedConfiguration> = {}): WantedConfiguration {
  const listeners = [sampleListener('http', 80)];
  return {
    listeners,
    profiles: [],
    builtIn: BUILT_IN,
    inForce: new Set(),
    zones: defaultZones(),
    settings: SETTINGS,
    ...more,
  };
}

function running(more: Partial<RunningConfiguration> = {}): RunningConfiguration {
  return {
    id: 'id',
    closed: false,
    dataplane: '/dataplane/1',
    profiles: BUILT_IN,
    listeners: listenersText([sampleListener('http', 80)]),
    zones: defaultZones(),
    ...more,
  };
}

test('the same needs no reload', () => {
  assert.equal(planConfiguration(wanted(), running()).reason, undefined);
});

test('a new profile is a reason with the routes that need it as origins', () => {
  const { reason } = planConfiguration(wanted({ profiles: [FIVE] }), running());
  assert.equal(reason?.reason, 'profile');
  assert.deepEqual(reason?.origins, [sampleOrigin('web')]);
});

test('a profile that nobody needs any more stays until something else asks for a reload', () => {
  const before = running({ profiles: [...BUILT_IN, FIVE] });
  const kept = planConfiguration(wanted(), before);
  assert.equal(kept.reason, undefined);
  assert.ok(kept.input.profiles.includes(FIVE));
  const other = planConfiguration(wanted({ listeners: [sampleListener('http', 81)] }), before);
  assert.equal(other.reason?.reason, 'listener');
  assert.equal(other.input.profiles.includes(FIVE), false);
});

test('at a reload a profile stays that records in force still name, and all where those are not known', () => {
  const before = running({ profiles: [...BUILT_IN, FIVE] });
  const SIX = { ...FIVE, name: '@http_body_6m', bodyLimit: 6_291_456 };
  for (const inForce of [new Set([FIVE.name]), undefined]) {
    const { reason, input } = planConfiguration(wanted({ profiles: [SIX], inForce }), before);
    assert.equal(reason?.reason, 'profile');
    assert.deepEqual(
      input.profiles.map(({ name }) => name),
      [...BUILT_IN, FIVE, SIX].map(({ name }) => name).sort(),
    );
  }
});

test('a changed default certificate of a listener is data', () => {
  const listeners = [sampleListener('http', 80, { defaultCertificates: ['shop/default'] })];
  assert.equal(planConfiguration(wanted({ listeners }), running()).reason, undefined);
});

test('larger zones come with the former ones to be filled from', () => {
  const zones = largerZones(defaultZones());
  assert.ok(zones);
  const { reason, input } = planConfiguration(wanted({ zones }), running());
  assert.equal(reason?.reason, 'capacity');
  assert.deepEqual(input.formerZones, defaultZones());
});

test('a closed nginx opens, and another data plane is software', () => {
  assert.equal(planConfiguration(wanted(), running({ closed: true })).reason?.reason, 'start');
  assert.equal(planConfiguration(wanted(), running({ dataplane: '/dataplane/0' })).reason?.reason, 'software');
});
