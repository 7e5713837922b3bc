/** Durations: printing and reading are inverse (R4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { durationProblem, parseDuration, printDuration } from '#model/duration';

test('R4 a fixed duration is read back the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), (us) => {
      assert.deepEqual(parseDuration(printDuration({ kind: 'fixed', us })), { kind: 'fixed', us });
    }),
  );
});

test('R4 a calendar duration is read back the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120_000 }), (months) => {
      const duration = { kind: 'calendar', months } as const;
      assert.deepEqual(parseDuration(printDuration(duration)), duration);
    }),
  );
});

test('R4 any text is a duration or has a problem', () => {
  const letters = fc.constantFrom(...'PTWDHMSYpt0159.-');
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), (marks) => {
      const text = marks.join('');
      const problem = durationProblem(text);
      if (problem === null)
        assert.deepEqual(parseDuration(printDuration(parseDuration(text))), parseDuration(text));
      else assert.match(problem, /^must /);
    }),
    { numRuns: 2000 },
  );
});
