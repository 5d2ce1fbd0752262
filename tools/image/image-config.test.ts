import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IMAGE_START } from './image-config.ts';
import { IMAGE_PACKAGES, IMAGE_RELEASE } from './image-packages.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../deploy/image/Dockerfile'), 'utf8');

test('the Dockerfile starts weir as the image of make package does', () => {
  const words = (name: string) =>
    [...TEXT.matchAll(new RegExp(`^${name} (.+)$`, 'gmu'))].map(([, value = '']) => value);
  assert.deepEqual(words('ENV'), IMAGE_START.environment);
  assert.deepEqual(words('USER'), [IMAGE_START.user]);
  assert.deepEqual(JSON.parse(words('ENTRYPOINT')[0]!), IMAGE_START.entrypoint);
  assert.deepEqual(JSON.parse(words('CMD')[0]!), IMAGE_START.command);
  assert.deepEqual(JSON.parse(words('VOLUME')[0]!), IMAGE_START.volumes);
  assert.equal(words('FROM')[0], `debian:${IMAGE_RELEASE}-slim AS build`);
});

test('each package of the image is listed once', () => {
  const names = IMAGE_PACKAGES.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
});
