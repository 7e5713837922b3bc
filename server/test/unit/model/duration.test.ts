/** Durations in and out (R4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Duration, durationProblem, parseDuration, printDuration } from '#model/duration';
import { AppError } from '#model/error';

const fixed = (us: number): Duration => ({ kind: 'fixed', us });
const calendar = (months: number): Duration => ({ kind: 'calendar', months });

const readable: [string, Duration, string][] = [
  ['PT15M', fixed(900e6), 'PT15M'],
  ['PT0.5S', fixed(500_000), 'PT0.5S'],
  ['PT0.0000019S', fixed(1), 'PT0.000001S'],
  ['PT1H30M5.25S', fixed(5405.25e6), 'PT1H30M5.25S'],
  ['PT90M', fixed(5400e6), 'PT1H30M'],
  ['PT3600S', fixed(3600e6), 'PT1H'],
  ['P1D', fixed(86_400e6), 'PT24H'],
  ['P40D', fixed(40 * 86_400e6), 'PT960H'],
  ['P1W', fixed(7 * 86_400e6), 'PT168H'],
  ['P1W2DT3H', fixed((9 * 24 + 3) * 3600e6), 'PT219H'],
  ['-PT1H', fixed(-3600e6), '-PT1H'],
  ['-P1DT0.000001S', fixed(-86_400e6 - 1), '-PT24H0.000001S'],
  ['PT0S', fixed(0), 'PT0S'],
  ['-P0D', fixed(0), 'PT0S'],
  ['pt15m', fixed(900e6), 'PT15M'],
  ['p1dt1h', fixed(90_000e6), 'PT25H'],
  ['P1M', calendar(1), 'P1M'],
  ['P3M', calendar(3), 'P3M'],
  ['P1Y', calendar(12), 'P1Y'],
  ['P12M', calendar(12), 'P1Y'],
  ['P1Y2M', calendar(14), 'P1Y2M'],
  ['p1y14m', calendar(26), 'P2Y2M'],
];
for (const [text, duration, canonical] of readable) {
  test(`R4 reads ${text} and prints ${canonical}`, () => {
    assert.deepEqual(parseDuration(text), duration);
    assert.equal(durationProblem(text), null);
    assert.equal(printDuration(duration), canonical);
  });
}

const refused: [string, RegExp][] = [
  ['', /must be a duration such as/],
  ['P', /must be a duration such as/],
  ['-P', /must be a duration such as/],
  ['P1T', /must be a duration such as/],
  ['P1DTT', /must be a duration such as/],
  ['15M', /must be a duration such as/],
  ['PT1.5H', /must be a duration such as/],
  ['PT.5S', /must be a duration such as/],
  ['PT1,5S', /must be a duration such as/],
  ['PT5.S', /must be a duration such as/],
  ['P1D1W', /must be a duration such as/],
  ['PT1S1M', /must be a duration such as/],
  ['PT-1H', /must be a duration such as/],
  ['+PT1H', /must be a duration such as/],
  [' PT1H', /must be a duration such as/],
  ['PT1H\n', /must be a duration such as/],
  ['P1D2', /must be a duration such as/],
  [`PT${'1'.repeat(200)}S`, /got 203 characters/],
  ['P1M2D', /must not mix years or months with weeks, days or times, got "P1M2D"/],
  ['P1YT1H', /must not mix/],
  ['-P1M', /must not be a negative number of months/],
  ['P0M', /must be at least one month/],
  ['P0Y0M', /must be at least one month/],
  ['P10001Y', /must be at most 120000 months/],
  ['P99999999W', /must be at most 2\^53 µs/],
];
for (const [text, message] of refused) {
  test(`R4 refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
    assert.match(durationProblem(text) ?? '', message);
    assert.throws(
      () => parseDuration(text),
      (error) => error instanceof AppError && error.kind === 'invalid-params' && message.test(error.message),
    );
  });
}
