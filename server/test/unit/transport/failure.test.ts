/** How errors become HTTP problems. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '#model/error';
import { toProblem } from '#transport/http/failure';

for (const isUncertain of [false, true]) {
  test(`E3 an answer with 503 ${isUncertain ? 'says that the change may have been made' : 'says nothing of a change'}`, () => {
    const { status, headers, members } = toProblem(new AppError('unavailable', 'No answer', { isUncertain }));
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
    assert.deepEqual(members, isUncertain ? { uncertain: true } : {});
  });
}
