/** What pages of administration compute, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAddresses } from '../src/pages/settings/address.ts';
import { keepText } from '../src/pages/settings/keep.ts';
import { scopeText } from '../src/pages/settings/retention.ts';

test('two addresses agree when origin and path do', () => {
  const finding = (seen: string, configured: string) => compareAddresses(seen, configured);
  assert.deepEqual(finding('http://127.0.0.1:8080/', 'http://127.0.0.1:8080'), {
    differs: false,
    losesCookie: false,
    isPlain: false,
  });
  assert.equal(finding('https://plant.example/tide/', 'https://plant.example/tide').differs, false);
  assert.equal(finding('https://plant.example/', 'https://plant.example/tide').differs, true);
  assert.equal(finding('http://plant.example:8080/', 'http://localhost:8080').differs, true);
  assert.equal(finding('http://localhost:8080/', 'http://127.0.0.1:8080').differs, true);
});

test('a cookie is lost where the configured address is encrypted and the browser is not', () => {
  assert.deepEqual(compareAddresses('http://plant.example/', 'https://plant.example'), {
    differs: true,
    losesCookie: true,
    isPlain: false,
  });
  assert.equal(compareAddresses('http://plant.example/', 'http://plant.example').isPlain, true);
});

test('lengths and scopes of rules are said in words', () => {
  assert.deepEqual(['forever', 'P2Y', 'P1D', 'P400D', 'PT36H'].map(keepText), [
    'forever',
    'two years',
    'one day',
    '400 days',
    'PT36H',
  ]);
  const names = new Map([['cbpmaq6rpn52969vfl00', 'Plant']]);
  assert.deepEqual(
    ['all', 'integration:cbpmaq6rpn52969vfl00', 'integration:gone', 'label:site=a=b'].map((scope) =>
      scopeText(scope, names),
    ),
    ['All signals', 'Integration “Plant”', 'Integration “gone”', 'Label site = a=b'],
  );
});
