/** Hashes of resources: the vectors of the specification, and what makes a hash stable (R7). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { resourceHash } from '#methods/hash';

const emptyItem = {
  name: 'test',
  description: '',
  valueType: '',
  sourceType: '',
  engUnit: '',
  sampleInterval: null,
  gapDetection: null,
  labels: new Map(),
  enumValues: new Map(),
  visible: false,
};

const item = { data: { type: 'items', id: 'cbpmaq6rpn52969vfl00' } };

const vectors: [string, Record<string, unknown>, string][] = [
  ['nothing', {}, '5f36b2ea290645ee34d943220a14b54ee5ea5be5'],
  ['a relationship', { item }, 'ac55c70f73c20e38394fb64d7b7fb2e848ae568b'],
  ['an item', emptyItem, 'cc65e86b937c9d743a2b004b4f5de9ccde46bfc8'],
];
for (const [title, fields, expected] of vectors) {
  test(`R7 the vector of ${title}`, () => assert.equal(resourceHash(fields), expected));
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

test('R7 map keys are sorted bytewise, whole numbers too', () => {
  const values = new Map([
    ['9', 'c'],
    ['10', 'b'],
    ['0', 'a'],
  ]);
  assert.equal(resourceHash({ values }), sha1('{"values":{"0":"a","10":"b","9":"c"}}\n'));
});

test('R7 markup and line separators are escaped', () => {
  const expected = '{"name":"\\u003ca\\u003e \\u0026 \\u2028\\u2029"}\n';
  assert.equal(resourceHash({ name: '<a> & \u2028\u2029' }), sha1(expected));
});

test('R7 text beyond ASCII is hashed as UTF-8', () => {
  assert.equal(resourceHash({ engUnit: '℃' }), sha1('{"engUnit":"℃"}\n'));
});
