/** Answers that are kept until something changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerCache } from '#storage/meta/answer-cache';

test('an answer is kept until the revision changes', () => {
  let revision = 1;
  const answers = new AnswerCache(() => revision);
  answers.set(answers.begin(), 'item a', { id: 'a' }, 100);
  assert.deepEqual(answers.get('item a'), { id: 'a' });
  revision++;
  assert.equal(answers.get('item a'), undefined);
});

test('an answer that was read while something changed is not kept', () => {
  let revision = 1;
  const answers = new AnswerCache(() => revision);
  const began = answers.begin();
  revision++;
  answers.set(began, 'item a', { id: 'a' }, 100);
  assert.equal(answers.get('item a'), undefined);
});

test('answers are bounded in bytes, and those used longest ago go first', () => {
  const answers = new AnswerCache(() => 1);
  const began = answers.begin();
  for (const key of ['a', 'b', 'c']) answers.set(began, key, key, 3_000_000);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => answers.get(key)),
    [undefined, 'b', 'c'],
  );
});

test('an answer under a very long key is not kept', () => {
  const answers = new AnswerCache(() => 1);
  const key = 'x'.repeat(10_000);
  answers.set(answers.begin(), key, 'answer', 10);
  assert.equal(answers.get(key), undefined);
});
