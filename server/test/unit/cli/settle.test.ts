/** Local times at clock changes: which of two hours a row lies in, and ambiguous cases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantsIn } from '#cli/csv/local-time';
import { textForm } from '#cli/csv/row-time';
import { RowSettler, type SettleOptions, type TimedRow } from '#cli/csv/settle';
import { AppError } from '#model/error';

const oslo: SettleOptions = { zone: 'Europe/Oslo', instantsOf: instantsIn('Europe/Oslo'), ambiguous: null };

/** The instants of local times of a file as `HH:MM` of UTC, or the first words of the reason. */
function settle(texts: readonly string[], options: Partial<SettleOptions> = {}): string[] {
  const settler = new RowSettler({ ...oslo, ...options });
  const rows = texts.map((text) => ({ time: textForm.read(text)!, bytes: 1, text }));
  const settled = [...rows.flatMap((row) => settler.add(row)), ...settler.end()];
  const byRow = new Map(settled.map((one) => [one.row, one]));
  assert.equal(settled.length, rows.length);
  return rows.map((row) => {
    const one = byRow.get(row)!;
    return 'reason' in one
      ? one.reason.split(' in ')[0]
      : new Date(one.us / 1000).toISOString().slice(11, 16);
  });
}

const day = '2024-10-27';
const at = (...times: string[]) => times.map((time) => `${day} ${time}`);

test('Q3 import reads local times of a zone', () => {
  assert.deepEqual(settle(['2024-01-31 12:30', '2024-07-31 12:30', '2024-01-31T12:30:00Z']), [
    '11:30',
    '10:30',
    '12:30',
  ]);
});

test('Q3 the second run of a repeated hour is the second hour', () => {
  assert.deepEqual(settle(at('01:30', '02:00', '02:30', '02:00', '02:30', '03:00')), [
    '23:30',
    '00:00',
    '00:30',
    '01:00',
    '01:30',
    '02:00',
  ]);
  assert.deepEqual(settle(at('01:00', '02:00', '02:00', '03:00')), ['23:00', '00:00', '01:00', '02:00']);
  assert.deepEqual(settle(at('02:40', '02:50', '02:00', '02:10')), ['00:40', '00:50', '01:00', '01:10']);
});

test('Q3 in a descending file the first run is the second hour', () => {
  assert.deepEqual(settle(at('03:00', '02:30', '02:00', '02:30', '02:00', '01:30')), [
    '02:00',
    '01:30',
    '01:00',
    '00:30',
    '00:00',
    '23:30',
  ]);
});

const twice = 'occurs twice';

test('Q3 rows of a repeated hour that their order does not explain are rejected', () => {
  assert.deepEqual(settle(at('01:00', '02:00', '03:00')), ['23:00', twice, '02:00']);
  assert.deepEqual(settle(at('02:00', '02:30')), [twice, twice]);
  assert.deepEqual(
    settle(at('01:00', '02:00', '02:30', '02:00', '02:30', '02:00', '03:00')).filter((x) => x === twice)
      .length,
    5,
  );
  assert.deepEqual(
    settle(at('01:00', '02:00', '02:00', '02:30', '02:30', '03:00')).filter((x) => x === twice).length,
    4,
  );
});

test('Q3 --ambiguous says which hour is meant where the order does not', () => {
  assert.deepEqual(settle(at('01:00', '02:00', '03:00'), { ambiguous: 'first' }), [
    '23:00',
    '00:00',
    '02:00',
  ]);
  assert.deepEqual(settle(at('01:00', '02:00', '03:00'), { ambiguous: 'second' }), [
    '23:00',
    '01:00',
    '02:00',
  ]);
  assert.deepEqual(settle(at('01:00', '02:00', '02:00', '03:00'), { ambiguous: 'first' })[2], '01:00');
});

test('Q3 a local time that does not exist is rejected', () => {
  assert.deepEqual(settle(['2024-03-31 01:30', '2024-03-31 02:00', '2024-03-31 02:59', '2024-03-31 03:00']), [
    '00:30',
    'does not exist',
    'does not exist',
    '01:00',
  ]);
});

test('Q3 the clock changes of two years are apart', () => {
  const texts = ['2023-10-29 02:30', '2024-10-27 02:00', '2024-10-27 02:30'];
  assert.deepEqual(settle(texts), [twice, twice, twice]);
});

test('L1 more rows of a repeated hour than may be held are rejected, not kept', () => {
  const texts = at('01:00', ...Array.from({ length: 40 }, (_, i) => `02:${10 + i}`), '03:00');
  assert.equal(settle(texts, { heldBytesMax: 10 }).filter((x) => x === twice).length, 40);
});

test('Q3 whatever the step, a complete local series is read back as the instants that it was made of', () => {
  const zones = ['Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns'];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 }),
      (zone, stepMinutes, isDescending, startMinute) => {
        const instantsOf = instantsIn(zone);
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        const utc = Array.from({ length: 400 }, (_, i) => (startMinute + i * stepMinutes) * 60_000);
        if (isDescending) utc.reverse();
        const settler = new RowSettler<TimedRow & { ms: number }>({ zone, instantsOf, ambiguous: null });
        const rows = utc.map((ms) => ({ time: textForm.read(shown.format(ms))!, bytes: 1, ms }));
        const settled = [...rows.flatMap((row) => settler.add(row)), ...settler.end()];
        assert.equal(settled.length, rows.length);
        const wrong = settled.filter((one) => 'us' in one && one.us !== one.row.ms * 1000);
        assert.deepEqual(wrong, []);
      },
    ),
    { numRuns: 60 },
  );
});

test('Q3 import refuses an unknown zone', () => {
  assert.throws(() => instantsIn('Europe/Nowhere'), AppError);
});
