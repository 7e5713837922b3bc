/** Numbers, sizes, ages and durations as people read them, and durations as they type them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { printMs } from '../src/pages/operate/milliseconds.ts';
import { diagnose, printSpan, roundInterval } from '../src/pages/signals/diagnosis.ts';
import { printBytes, printCount, printNumberOf, printShort, printValue } from '../src/parts/number.ts';
import { printAge, printDuration } from '../src/platform/time/age.ts';
import { durationMs, printPeriod, readPeriod } from '../src/platform/time/span.ts';
import { randomOf } from './support/random.ts';

suite('counts and values', () => {
  test('counts are whole numbers in groups of three', () => {
    assert.deepEqual([0, 999, 12_345, 1_234_567.6].map(printCount), ['0', '999', '12,345', '1,234,568']);
  });

  test('short counts have one decimal and a letter', () => {
    assert.deepEqual([999, 1234, 12_345, 1_250_000].map(printShort), ['999', '1.2K', '12.3K', '1.3M']);
  });

  test('a value has seven significant digits', () => {
    assert.deepEqual([0, 21.5, 1_234_567, 0.123_456_78, -3].map(printValue), [
      '0',
      '21.5',
      '1,234,567',
      '0.1234568',
      '-3',
    ]);
  });

  test('a value is written with an exponent below a ten-thousandth and from a million millions on', () => {
    assert.deepEqual([1e-4, 9.9e-5, 999_999_900_000, 1e12, -1e12].map(printValue), [
      '0.0001',
      '9.9000e-5',
      '999,999,900,000',
      '1.0000e+12',
      '-1.0000e+12',
    ]);
  });

  test('no value, however large or small, is shown as another one', () => {
    const random = randomOf(3);
    for (let round = 0; round < 500; round++) {
      const value = (random() - 0.5) * 10 ** Math.round(random() * 40 - 20);
      const read = Number(printValue(value).replaceAll(',', ''));
      assert.ok(
        Math.abs(read - value) <= Math.abs(value) * 1e-4,
        `${value} is shown as ${printValue(value)}`,
      );
    }
  });

  test('a noun is in the plural for every count but one', () => {
    assert.deepEqual(
      [0, 1, 2, 1000].map((count) => printNumberOf(count, 'signal')),
      ['0 signals', '1 signal', '2 signals', '1,000 signals'],
    );
    assert.equal(printNumberOf(3, 'entry', 'entries'), '3 entries');
  });
});

suite('bytes', () => {
  test('the unit changes at a thousand', () => {
    assert.deepEqual([0, 1, 2, 999, 1000, 1e6, 1e9, 1e12, 7e15].map(printBytes), [
      '0 B',
      '1 B',
      '2 B',
      '999 B',
      '1.00 kB',
      '1.00 MB',
      '1.00 GB',
      '1.00 TB',
      '7000 TB',
    ]);
  });

  test('a part of a byte is less than a byte, not a kilobyte', () => {
    assert.deepEqual([0.2, 1.4].map(printBytes), ['0 B', '1 B']);
  });

  test('just below the next unit there is no exponent', () => {
    assert.deepEqual([999_499, 999_500, 999_999].map(printBytes), ['999 kB', '1000 kB', '1000 kB']);
  });

  test('any size is right to three digits', () => {
    const factors = new Map([
      ['B', 1],
      ['kB', 1e3],
      ['MB', 1e6],
      ['GB', 1e9],
      ['TB', 1e12],
    ]);
    const random = randomOf(7);
    for (let round = 0; round < 500; round++) {
      const bytes = Math.round(10 ** (random() * 16));
      const [digits, unit] = printBytes(bytes).split(' ');
      const read = Number(digits) * factors.get(unit!)!;
      assert.ok(Math.abs(read - bytes) <= bytes * 0.005, `${bytes} is shown as ${digits} ${unit}`);
    }
  });
});

suite('the time that a call took', () => {
  const cases = [
    [0, '0.0 ms'],
    [0.04, '0.0 ms'],
    [9.94, '9.9 ms'],
    [9.96, '10.0 ms'],
    [10, '10 ms'],
    [10.6, '11 ms'],
    [999, '999 ms'],
    [1000, '1.0 s'],
    [9999, '10.0 s'],
    [10_000, '10 s'],
    [10_600, '11 s'],
  ] as const;
  for (const [ms, text] of cases) test(`${ms} ms is ${text}`, () => assert.equal(printMs(ms), text));
});

suite('ages', () => {
  const day = 86_400_000;
  test('each unit begins when it is full', () => {
    assert.deepEqual([999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, day - 1, day].map(printDuration), [
      '0 s',
      '1 s',
      '59 s',
      '1 min',
      '59 min',
      '1 h',
      '23 h',
      '1 d',
    ]);
  });

  test('a year has 365 days and six hours', () => {
    assert.deepEqual([365 * day, 365.25 * day, 800 * day].map(printDuration), ['365 d', '1 y', '2 y']);
  });

  test('clocks that differ by up to ten seconds do not make a time of the future', () => {
    assert.deepEqual(
      [-10_000, -10_001, -61_000, 1999, 2000].map((age) => printAge(1e12, 1e12 + age)),
      ['just now', 'in 10 s', 'in 1 min', 'just now', '2 s ago'],
    );
  });

  test('an older time never looks younger', () => {
    const secondsOf = { s: 1, min: 60, h: 3600, d: 86_400, y: 31_557_600 } as const;
    const random = randomOf(11);
    let [shown, ms] = [0, 0];
    for (let round = 0; round < 400; round++) {
      ms += random() * ms * 0.2 + 500;
      const [count, unit] = printDuration(ms).split(' ') as [string, keyof typeof secondsOf];
      const next = Number(count) * secondsOf[unit];
      assert.ok(next >= shown && next * 1000 <= ms, `${ms} ms is shown as ${count} ${unit}`);
      shown = next;
    }
  });
});

suite('durations', () => {
  test('their length is the sum of their parts, in either case', () => {
    assert.equal(durationMs('P1W2DT3H4M5.5S'), 9 * 86_400_000 + 3 * 3_600_000 + 4 * 60_000 + 5500);
    assert.equal(durationMs('pt1m'), 60_000);
    assert.equal(durationMs('P1Y'), 365.25 * 86_400_000);
    assert.equal(durationMs('PT0.001S'), 1);
  });

  test('what is none, or has no length, has no milliseconds', () => {
    for (const text of ['', 'P', 'PT0S', 'P1H', '1D', 'PT1.5M', '-PT1S', ' PT1S'])
      assert.equal(durationMs(text), null, text);
  });

  test('R4 any duration of weeks to seconds that is shown in a field is saved as it was', () => {
    const random = randomOf(19);
    const part = (letter: string, most: number) =>
      random() < 0.5 ? '' : `${1 + Math.floor(random() * most)}${letter}`;
    for (let round = 0; round < 300; round++) {
      const date = `${part('W', 9)}${part('D', 40)}`;
      const time = `${part('H', 99)}${part('M', 99)}${random() < 0.3 ? '0.25S' : part('S', 99)}`;
      if (date + time === '') continue;
      const duration = `P${date}${time === '' ? '' : `T${time}`}`;
      assert.equal(readPeriod(printPeriod(duration)), duration, printPeriod(duration));
    }
  });

  test('one week is singular', () =>
    assert.deepEqual(['P1W', 'P2W', 'P11W', 'P1WT1H'].map(printPeriod), [
      '1 week',
      '2 weeks',
      '11 weeks',
      '1 week 1 h',
    ]));

  test('R4 every word for a unit is understood', () => {
    const words = {
      P3W: ['3w', '3 week', '3 weeks', '3 Weeks'],
      P3D: ['3d', '3 day', '3 days'],
      PT3H: ['3h', '3 hour', '3 hours'],
      PT3M: ['3m', '3 min', '3 mins', '3 minute', '3 minutes', '3 MIN'],
      PT3S: ['3s', '3 sec', '3 secs', '3 second', '3 seconds'],
    };
    for (const [duration, texts] of Object.entries(words))
      for (const text of texts) assert.equal(readPeriod(text), duration, text);
  });

  test('only seconds have decimals, whatever is next to them', () => {
    assert.equal(readPeriod('1 min 1.5 s'), 'PT1M1.5S');
    assert.equal(readPeriod('1.5 min 2 s'), '1.5 min 2 s');
    assert.equal(readPeriod('1 h 1.5 min'), '1 h 1.5 min');
  });

  test('thousandths of a second are seconds', () => {
    assert.deepEqual(['1 ms', '1500ms', '20 MS'].map(readPeriod), ['PT0.001S', 'PT1.5S', 'PT0.02S']);
  });
});

suite('the interval between points', () => {
  test('one that is near a round one is the round one, up to five per cent', () => {
    assert.deepEqual([950, 949, 1050, 1051, 57_000, 63_000, 3_420_000].map(roundInterval), [
      'PT1S',
      'PT0.949S',
      'PT1S',
      'PT1.051S',
      'PT1M',
      'PT1M',
      'PT1H',
    ]);
  });

  test('each usual interval is found from a little above and below', () => {
    const usual = ['PT5S', 'PT10S', 'PT15S', 'PT30S', 'PT5M', 'PT10M', 'PT15M', 'PT30M'];
    for (const share of [0.96, 1.04])
      assert.deepEqual(
        usual.map((duration) => roundInterval((durationMs(duration) ?? 0) * share)),
        usual,
      );
  });

  test('one of two minutes that lacks a thousandth is not a minute and sixty seconds', () => {
    assert.deepEqual([119_999.9, 120_000, 7_199_999.6].map(roundInterval), ['PT2M', 'PT2M', 'PT2H']);
  });

  test('one of less than a millisecond is not zero', () => {
    assert.deepEqual([0.25, 0.001, 2.5].map(roundInterval), ['PT0.00025S', 'PT0.000001S', 'PT0.0025S']);
  });

  test('whatever is suggested is as long as what was observed', () => {
    const random = randomOf(23);
    for (let round = 0; round < 500; round++) {
      const ms = 10 ** (random() * 11 - 2);
      const suggested = durationMs(roundInterval(ms)) ?? 0;
      assert.ok(Math.abs(suggested - ms) <= ms * 0.0527, `${ms} ms: ${roundInterval(ms)}`);
    }
  });

  test('spans change their unit where the smaller one becomes hard to read', () => {
    assert.deepEqual(
      ['PT0.9996S', 'PT1S', 'PT119S', 'PT2M', 'PT119M59S', 'PT2H', 'PT47H', 'PT48H', 'P3DT5H'].map(printSpan),
      ['999.6 ms', '1 s', '119 s', '2 min', '119 min 59 s', '2 h', '47 h', '2 d', '3 d 5 h'],
    );
  });

  test('up to five per cent from what is declared is as declared; no suggestion repeats the declaration', () => {
    const judge = (sampleInterval: string, median: string) =>
      diagnose({ sampleInterval, gapDetection: null }, { points: 9, median, gapCount: 0 });
    assert.equal(judge('PT100S', 'PT105S').mood, 'good');
    assert.equal(judge('PT100S', 'PT95S').mood, 'good');
    assert.equal(judge('PT100S', 'PT105.1S').mood, 'warn');
    assert.equal(judge('PT100S', 'PT94.9S').interval, 'PT1M34.9S');
    assert.equal(judge('PT1M', 'PT56.9S').interval, 'PT56.9S');
  });

  test('gap detection must not be shorter than the interval; as long as it is enough', () => {
    const judge = (gapDetection: string) =>
      diagnose({ sampleInterval: 'PT10S', gapDetection }, { points: 9, median: 'PT10S', gapCount: 1 });
    assert.match(judge('PT9S').text, /but gap detection is shorter: 9 s/);
    assert.equal(judge('PT10S').text, 'Points arrive every 10 s, as declared, with one gap.');
  });

  test('an interval that is not declared is suggested; gaps are counted in words', () => {
    const seen = { points: 9, median: 'PT2M5.5S', gapCount: 0 };
    const undeclared = { sampleInterval: null, gapDetection: null };
    assert.deepEqual(diagnose(undeclared, seen), {
      mood: 'info',
      text: 'No sample interval is declared; the observed interval is 2 min 5 s.',
      interval: 'PT2M5.5S',
    });
    const textOf = (gapCount: number) =>
      diagnose({ ...undeclared, sampleInterval: 'PT2M' }, { ...seen, gapCount }).text;
    assert.match(textOf(0), /, without a gap\.$/);
    assert.match(textOf(1), /, with one gap\.$/);
    assert.match(textOf(2), /, with 2 gaps\.$/);
  });

  test('one point has no interval', () => {
    const none = { sampleInterval: 'PT1M', gapDetection: null };
    const verdict = diagnose(none, { points: 1, median: null, gapCount: 0 });
    assert.deepEqual(verdict, { mood: 'info', text: 'There is one point.', interval: null });
  });
});
