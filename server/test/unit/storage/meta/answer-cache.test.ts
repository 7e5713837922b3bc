/** Answers that are kept until something changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerCache } from '#storage/meta/answer-cache';

test('an answer is kept until the revision changes', async () => {
  let revision = 1;
  const answers = new AnswerCache(() => revision);
  answers.set(answers.begin(), 'item a', { id: 'a' }, 100);
  assert.deepEqual(await answers.get(['item a']), [{ id: 'a' }]);
  revision++;
  assert.deepEqual(await answers.get(['item a']), [undefined]);
});

test('an answer that was read while something changed is not kept', async () => {
  let revision = 1;
  const answers = new AnswerCache(() => revision);
  const began = answers.begin();
  revision++;
  answers.set(began, 'item a', { id: 'a' }, 100);
  assert.deepEqual(await answers.get(['item a']), [undefined]);
});

test('answers are bounded in bytes, and those used longest ago go first', async () => {
  const answers = new AnswerCache(() => 1);
  const began = answers.begin();
  for (const key of ['a', 'b', 'c']) answers.set(began, key, key, 3_000_000);
  assert.deepEqual(await answers.get(['a', 'b', 'c']), [undefined, 'b', 'c']);
});

test('an answer under a very long key is not kept', async () => {
  const answers = new AnswerCache(() => 1);
  const key = 'x'.repeat(10_000);
  answers.set(answers.begin(), key, 'answer', 10);
  assert.deepEqual(await answers.get([key]), [undefined]);
});

test('where others change things without a notice, the revision is read before an answer is used, and not where one is missing', async () => {
  const stored = { revision: '1', reads: 0 };
  let known = '';
  const answers = new AnswerCache(
    () => known,
    async () => {
      stored.reads++;
      known = stored.revision;
    },
  );
  await answers.get(['a']);
  assert.equal(stored.reads, 0);
  answers.set(answers.begin(), 'a', 'of no known revision', 10);
  assert.deepEqual(await answers.get(['a']), [undefined]);
  answers.set(answers.begin(), 'a', 'of the first', 10);
  assert.deepEqual(await answers.get(['a', 'b']), [undefined, undefined]);
  assert.deepEqual(await answers.get(['a']), ['of the first']);
  stored.revision = '2';
  assert.deepEqual(await answers.get(['a']), [undefined]);
  assert.equal(stored.reads, 3);
});
