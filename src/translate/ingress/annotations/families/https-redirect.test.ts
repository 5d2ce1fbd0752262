import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

test('redirects to HTTPS where the host has TLS, unless told otherwise', () => {
  assert.equal(parsed({}).settings.httpsRedirect, 'tls');
  assert.equal(parsed({ 'ssl-redirect': 'true' }).settings.httpsRedirect, 'tls');
  assert.equal(parsed({ 'ssl-redirect': 'false' }).settings.httpsRedirect, 'never');
  assert.equal(parsed({ 'force-ssl-redirect': 'true' }).settings.httpsRedirect, 'always');
  assert.equal(parsed({ 'force-ssl-redirect': 'false' }).settings.httpsRedirect, 'tls');
});

test('force-ssl-redirect wins over ssl-redirect', () => {
  assert.equal(parsed({ 'force-ssl-redirect': 'true', 'ssl-redirect': 'false' }).settings.httpsRedirect, 'always');
});

test('takes the spellings of booleans that Go takes and no others', () => {
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False']) {
    assert.deepEqual(parsed({ 'ssl-redirect': text }).changed, { httpsRedirect: 'never' }, text);
  }
  for (const text of ['no', 'off', 'fALSE', ' false', 'false\n', '2', '"false"', '\0', '$scheme']) {
    const { changed, said } = parsed({ 'ssl-redirect': text });
    assert.deepEqual([changed, said], [{}, ['ssl-redirect WEIR0204']], JSON.stringify(text));
  }
});

test('says what to write instead of a word that is meant as a boolean', () => {
  assert.equal(parsed({ 'force-ssl-redirect': 'yes' }).findings[0]?.fix, 'Write "true".');
  assert.equal(parsed({ 'force-ssl-redirect': 'Off' }).findings[0]?.fix, 'Write "false".');
});

test('reports an invalid ssl-redirect beside a forced one too', () => {
  assert.deepEqual(parsed({ 'force-ssl-redirect': 'true', 'ssl-redirect': 'x' }).said, ['ssl-redirect WEIR0204']);
});

test('says that the slash at the end is always kept when asked not to keep it', () => {
  assert.deepEqual(parsed({ 'preserve-trailing-slash': 'true' }).said, []);
  assert.deepEqual(parsed({ 'preserve-trailing-slash': 'false' }).said, ['preserve-trailing-slash WEIR0210']);
});
