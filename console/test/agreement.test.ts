/** What the console computes by itself, compared with what the service computes: limits, formulas, calendars, states, times. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aliasProblem as refusalOf } from '../../server/src/domain/formula/formula.ts';
import { functionTable } from '../../server/src/domain/formula/function-table.ts';
import { parseFormula } from '../../server/src/domain/formula/parse.ts';
import { FormulaError } from '../../server/src/domain/formula/problem.ts';
import { tokenize } from '../../server/src/domain/formula/token.ts';
import { windowProblem } from '../../server/src/domain/query/window.ts';
import { isStatistic, aggregations as ofService } from '../../server/src/model/aggregation.ts';
import { type BucketRule, cutBuckets } from '../../server/src/model/bucket.ts';
import { durationProblem, parseDuration } from '../../server/src/model/duration.ts';
import { parseInstant } from '../../server/src/model/instant.ts';
import { printInstant } from '../../server/src/model/instant-printer.ts';
import { limitDefaults } from '../../server/src/model/limits.ts';
import { compilePattern } from '../../server/src/model/pattern.ts';
import { StateTimes } from '../../server/src/model/state-time.ts';
import { versions as versionsOfService } from '../../server/src/protocol/version.ts';
import { printTime, type Rows, timeMs } from '../src/features/explorer/frame.ts';
import { searchFilter } from '../src/features/explorer/item.ts';
import { resolveRange, type Span } from '../src/features/explorer/range.ts';
import { slicesOf } from '../src/features/explorer/slices.ts';
import { bandOfBuckets, bandOfPoints, stateSeconds } from '../src/features/explorer/state-band.ts';
import { timeTicks } from '../src/features/explorer/ticks.ts';
import { itemsMax, statistics } from '../src/features/explorer/view.ts';
import { isAllowed, niceWidths, reduce } from '../src/features/explorer/width.ts';
import { isTakenWord, readFault, tokensOf } from '../src/features/formula/language.ts';
import {
  aggregations,
  aliasProblem,
  freeAlias,
  isStateAggregation,
  renameAlias,
  sheetLimits,
} from '../src/features/formula/sheet.ts';
import { versions } from '../src/features/rpc/document.ts';
import { durationMs } from '../src/platform/time/span.ts';
import { randomOf } from './support/random.ts';
import { at, day, hour } from './support/times.ts';

/** One of several, at random. */
const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

/** What the service says against a window with this rollup; null where it reads it. */
function refusal({ fromMs, toMs }: Span, rollup: string | null): string | null {
  const width = rollup === null || rollup === 'window' ? rollup : parseDuration(rollup);
  const window = { startUs: fromMs * 1000, endUs: toMs * 1000 };
  return windowProblem(window, width, 'data-frame', limitDefaults);
}

suite('what the console offers is what the service takes', () => {
  test('W6 every version can be chosen, the newest first', () => {
    assert.deepEqual(versions, versionsOfService.toReversed());
  });

  test('Q6 Q10 every aggregation can be chosen, and those of states ask for one', () => {
    assert.deepEqual(Object.keys(aggregations).sort(), [...ofService].sort());
    for (const name of ofService) assert.equal(isStateAggregation(name), !isStatistic(name), name);
    assert.ok(Object.keys(statistics).every((name) => ofService.some((known) => known === name)));
  });

  test('Q12 a sheet is as large as one call may be', () => {
    const { itemsLimitMax, calculationsMax, formulaCharactersMax } = limitDefaults;
    assert.equal(itemsMax, itemsLimitMax);
    assert.deepEqual(sheetLimits, {
      items: itemsLimitMax,
      calculations: calculationsMax,
      formulaCharacters: formulaCharactersMax,
    });
  });

  test('Q11 no alias is taken that the service refuses', () => {
    const random = randomOf(301);
    const signs = 'aZ_09-é ';
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: 1 + Math.floor(random() ** 3 * 31) }, () =>
        pick(random, [...signs]),
      ).join('');
      if (aliasProblem(text, '', []) === null) assert.equal(refusalOf(text), null, text);
      else assert.ok(refusalOf(text) !== null || isTakenWord(text), text);
      assert.equal(refusalOf(freeAlias(text, [])), null, `${text}: ${freeAlias(text, [])}`);
    }
    for (const { name } of functionTable) assert.equal(freeAlias(name, []), `${name}_2`);
  });

  test('R4 a duration that the service reads has the same length here', () => {
    const random = randomOf(302);
    const part = (unit: string) => (random() < 0.4 ? `${Math.floor(random() * 200)}${unit}` : '');
    const seconds = () => (random() < 0.3 ? `${(random() * 90).toFixed(pick(random, [0, 1, 3]))}S` : '');
    let read = 0;
    for (let round = 0; round < 2000; round++) {
      const time = `${part('H')}${part('M')}${seconds()}`;
      const text = pick(random, [
        `P${part('W')}${part('D')}${time && `T${time}`}`,
        `P${part('Y')}${part('M')}`,
      ]);
      const duration = durationProblem(text) === null ? parseDuration(text) : null;
      // Zero is a duration, and no length of a bucket.
      if (duration === null || (duration.kind === 'fixed' && duration.us === 0)) {
        assert.equal(durationMs(text), null, text);
        continue;
      }
      read++;
      const ms = duration.kind === 'fixed' ? duration.us / 1000 : duration.months * 30.4375 * day;
      assert.ok(Math.abs(durationMs(text)! / ms - 1) < 1e-9, text);
    }
    assert.ok(read > 1000);
  });

  test('L2 a width is offered for a span exactly where the service reads it', () => {
    for (const { duration, ms } of niceWidths)
      for (const days of [1, 39.99, 40, 40.01, 399, 400, 401, 1899, 1900, 1901, 3660]) {
        const isRead = refusal({ fromMs: 0, toMs: days * day }, duration) === null;
        assert.equal(isAllowed(ms, days * day), isRead, `${duration} for ${days} days`);
      }
  });

  test('L2 whatever is chosen from the pixels is asked for in windows that the service reads', () => {
    const random = randomOf(303);
    for (let round = 0; round < 400; round++) {
      const fromMs = Math.floor(at('1970-01-01') + random() * 50 * 365 * day);
      const span = { fromMs, toMs: Math.ceil(fromMs + 10 ** (3 + random() * 9.5)) };
      const width = reduce({
        spanMs: span.toMs - span.fromMs,
        pixels: 200 + random() * 4000,
        intervalsMs: Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
          pick(random, [null, 1000, hour]),
        ),
      });
      const rollup = width?.duration ?? null;
      for (const slice of slicesOf(span, rollup, 'Europe/Oslo'))
        assert.equal(refusal(slice, rollup), null, `${rollup} over ${(span.toMs - span.fromMs) / day} days`);
    }
  });

  test('L2 every point is asked for in windows that the service reads', () => {
    for (const days of [39, 40, 41, 400, 4000])
      for (const slice of slicesOf({ fromMs: 0, toMs: days * day }, null, 'UTC'))
        assert.equal(refusal(slice, null), null);
  });

  test('R14 what is searched for is found as it was typed, whatever its signs and its case', () => {
    const random = randomOf(304);
    const signs = [...'aBc0.^$*+?()[]{}|\\/-_é'];
    for (let round = 0; round < 300; round++) {
      const word = Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(random, signs)).join('');
      const { $and } = searchFilter(word) as { $and: { $or: { name?: { $regex: string } }[] }[] };
      const pattern = compilePattern($and[0]!.$or[0]!.name!.$regex);
      for (const text of [word, `x${word.toUpperCase()}y`])
        assert.ok(pattern.test(text), `${word} in ${text}`);
      const other = Array.from({ length: 8 }, () => pick(random, signs)).join('');
      assert.equal(
        pattern.test(other),
        other.toLowerCase().includes(word.toLowerCase()),
        `${word} in ${other}`,
      );
    }
  });
});

/** A formula with aliases `a` and `b`, written with blanks here and there. */
function anyFormula(random: () => number, depth = 0): string {
  const blank = () => pick(random, ['', '', ' ', '\n']);
  const inner = () => anyFormula(random, depth + 1);
  if (depth > 3 || random() < 0.25) return pick(random, ['a', 'b', 'a_b', 'PI', '1', '.5', '2.5e-3', '1e3']);
  return pick(random, [
    () =>
      `${inner()}${blank()}${pick(random, ['+', '-', '*', '/', '%', '**', '<', '<=', '>', '>=', '==', '!=', '&&', '||'])} ${inner()}`,
    () => `(${blank()}${inner()})`,
    () => `${pick(random, ['-', '+', '!'])}${inner()}`,
    () => `max${blank()}(${inner()},${inner()})`,
    () => `(${inner()} ? ${inner()} :${inner()})`,
    () => `if(${inner()}, ${inner()}, a)`,
  ])();
}

suite('formulas', () => {
  const isValid = (text: string) => {
    try {
      parseFormula(text, limitDefaults);
      return true;
    } catch (error) {
      assert.ok(error instanceof FormulaError);
      return false;
    }
  };

  test('F1 the pieces that are coloured are the pieces that the service reads', () => {
    const random = randomOf(311);
    for (let round = 0; round < 500; round++) {
      const formula = anyFormula(random);
      const found = tokensOf(formula).map(({ from, to }) => [from + 1, formula.slice(from, to)]);
      const read = tokenize(formula).slice(0, -1);
      assert.deepEqual(
        found,
        read.map(({ at: position, text }) => [position, text]),
        formula,
      );
      assert.ok(isValid(formula), formula);
      assert.ok(
        tokensOf(formula).every(({ kind }) => kind !== 'wrong'),
        formula,
      );
    }
  });

  test('F1 a sign that no formula has is coloured as wrong where the service stops reading', () => {
    const random = randomOf(312);
    const signs = [...'ab1.+*/()<>=!&|?:,_ #€[;^'];
    let stops = 0;
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: 12 }, () => pick(random, signs)).join('');
      // A function that is not known is wrong too, and is found later.
      const wrong = tokensOf(text).find(({ kind, from }) => kind === 'wrong' && !/[a-z_]/.test(text[from]!));
      let stop: number | undefined;
      try {
        tokenize(text);
      } catch (error) {
        stop = (error as FormulaError).problems[0]!.at - 1;
        stops++;
      }
      assert.equal(wrong?.from, stop, text);
    }
    assert.ok(stops > 100);
  });

  test('F6 what the service complains of is what is underlined', () => {
    const random = randomOf(313);
    let faults = 0;
    for (let round = 0; round < 1500; round++) {
      const whole = anyFormula(random);
      const cut = Math.floor(random() * whole.length);
      const formula = random() < 0.5 ? whole.slice(0, cut) : whole.slice(0, cut) + whole.slice(cut + 1);
      try {
        parseFormula(formula, limitDefaults);
      } catch (error) {
        faults++;
        const { message, problems } = error as FormulaError;
        const { from, to, text } = readFault(message, formula);
        const position = problems[0]!.at - 1;
        const found = /found "(.*)"$/s.exec(text)?.[1];
        assert.equal(text, problems[0]!.text);
        if (found !== undefined) assert.equal(formula.slice(from, to), JSON.parse(`"${found}"`), formula);
        else
          assert.ok(from <= position && to >= Math.min(position, formula.length), `${formula}: ${message}`);
        assert.ok(
          from < to && from >= 0 && to <= Math.max(1, formula.length),
          `${formula}: ${from} to ${to}`,
        );
      }
    }
    assert.ok(faults > 500);
  });

  test('an alias that is renamed is renamed as a whole piece, and in no other place', () => {
    const random = randomOf(314);
    for (let round = 0; round < 500; round++) {
      const formula = anyFormula(random);
      const sheet = { items: [], calculations: [{ alias: 'x', formula }], hidden: new Set<string>() };
      const [{ formula: renamed } = { formula: '' }] = renameAlias(sheet, 'a', 'z_9').calculations;
      const expected = tokenize(formula).map(({ kind, text }) =>
        kind === 'name' && text === 'a' ? 'z_9' : text,
      );
      assert.deepEqual(
        tokenize(renamed).map(({ text }) => text),
        expected,
        formula,
      );
    }
  });
});

suite('calendars', () => {
  const zones = [
    'UTC',
    'Europe/Oslo',
    'America/New_York',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
  ];
  const units = [
    ['d', 'P1D'],
    ['w', 'P1W'],
    ['M', 'P1M'],
    ['y', 'P1Y'],
  ] as const;

  const edges = (rule: BucketRule, { fromMs, toMs }: Span) =>
    Array.from(cutBuckets(rule, { startUs: fromMs * 1000, endUs: toMs * 1000 }).edgesUs, (us) => us / 1000);

  test('Q2 Q3 today, this week, this month and this year are the buckets of the service around now', () => {
    const random = randomOf(321);
    for (const timeZone of zones)
      for (let round = 0; round < 60; round++) {
        const nowMs = Math.floor(at('2009-01-01') + random() * 20 * 365 * day);
        const firstDayOfWeek = 1 + Math.floor(random() * 7);
        for (const [unit, width] of units) {
          const range = { from: `now/${unit}`, to: `now/${unit}` };
          const span = resolveRange(range, nowMs, { zone: timeZone, firstDay: firstDayOfWeek });
          const rule = { width: parseDuration(width), timeZone, firstDayOfWeek, originUs: null };
          const found = edges(rule, { fromMs: nowMs, toMs: nowMs + 1 });
          assert.deepEqual([span.fromMs, span.toMs], found, `${width} around ${nowMs} in ${timeZone}`);
        }
      }
  });

  test('Q2 Q3 the marks of days, weeks, months and years are where the buckets of the service begin', () => {
    const random = randomOf(322);
    const days = { P1D: 1, P1W: 7, P1M: 30.4, P1Y: 365.25 } as const;
    for (const timeZone of zones)
      for (let round = 0; round < 12; round++)
        for (const [, width] of units) {
          const fromMs = Math.floor(at('2009-01-01') + random() * 15 * 365 * day);
          const span = { fromMs, toMs: Math.floor(fromMs + days[width] * day * 6.9) };
          const firstDayOfWeek = 1 + Math.floor(random() * 7);
          const rule = { width: parseDuration(width), timeZone, firstDayOfWeek, originUs: null };
          const inside = edges(rule, span).filter((ms) => ms >= span.fromMs && ms <= span.toMs);
          const ticks = timeTicks({ ...span, zone: timeZone, countMax: 7, firstDay: firstDayOfWeek });
          assert.deepEqual(
            ticks.map(({ ms }) => ms),
            inside,
            `${width} from ${fromMs} in ${timeZone}`,
          );
        }
  });

  test('R3 timestamps of frames are read and written as the service writes and reads them', () => {
    const random = randomOf(323);
    for (let round = 0; round < 3000; round++) {
      const us = Math.floor((random() - 0.3) * 4e15) * pick(random, [1, 1, 10, 1000, 1_000_000]);
      if (Math.abs(us) > 8e15) continue;
      const text = printInstant(us);
      assert.equal(Math.round(timeMs(text) * 1000), us, text);
      assert.equal(printTime(us / 1000), text);
      assert.equal(parseInstant(printTime(us / 1000)), us);
    }
  });
});

suite('states', () => {
  /** Points of states in a window of buckets, some of them no states at all; and what the service makes of them. */
  function anyStates(random: () => number) {
    const widthMs = pick(random, [60, 600, 3600]) * 1000;
    const endMs = (2 + Math.floor(random() * 12)) * widthMs;
    const gapMs = pick(random, [null, widthMs / 4, widthMs * 2.5]);
    const drawn = Array.from({ length: 1 + Math.floor(random() * 20) }, () => Math.floor(random() * endMs));
    const timesMs = [...new Set(drawn)].sort((a, b) => a - b);
    const values = timesMs.map(() => pick(random, [0, 1, 1, 2, 7, 1.5, -1]));
    const nowMs = pick(random, [endMs, timesMs.at(-1)! + 1]);
    const rule = {
      width: parseDuration(`PT${widthMs / 1000}S`),
      timeZone: 'UTC',
      firstDayOfWeek: 1,
      originUs: null,
    };
    const window = { startUs: 0, endUs: endMs * 1000 };
    const gapUs = gapMs === null ? Number.POSITIVE_INFINITY : gapMs * 1000;
    const times = new StateTimes({ window, states: 'seen', gapUs }, cutBuckets(rule, window), 1e6);
    times.add({ timesUs: Float64Array.from(timesMs, (ms) => ms * 1000), values: Float64Array.from(values) });
    return {
      widthMs,
      endMs: Math.min(nowMs, endMs),
      gapMs,
      timesMs,
      values,
      held: times.finish(nowMs * 1000),
    };
  }

  /** Seconds in each state, over all buckets. */
  const totals = (held: ReadonlyMap<number, Float64Array>) =>
    [...held]
      .map(([state, seconds]) => [state, seconds.reduce((sum, each) => sum + (each || 0), 0)] as const)
      .filter(([, seconds]) => seconds > 0);

  /** As the service answers them: rows in which no state held are left out. */
  function rowsOf(held: ReadonlyMap<number, Float64Array>, widthMs: number): Rows {
    const columns = [...held.values()];
    const kept = [...(columns[0] ?? []).keys()].filter((row) =>
      columns.some((each) => !Number.isNaN(each[row])),
    );
    return {
      timesMs: kept.map((row) => row * widthMs),
      columns: new Map(
        [...held].map(([state, column]) => [`s_state_${state}`, kept.map((row) => column[row])]),
      ),
    };
  }

  function assertSeconds(
    found: [number, number][],
    expected: (readonly [number, number])[],
    roomS: number,
    words: string,
  ) {
    const [is, was] = [new Map(found), new Map(expected)];
    assert.deepEqual([...is.keys()].sort(), [...was.keys()].sort(), words);
    for (const [state, seconds] of was)
      assert.ok(Math.abs(is.get(state)! - seconds) <= roomS, `${words}, state ${state}`);
  }

  test('Q10 a band of points has each state for as long as the service says', () => {
    const random = randomOf(331);
    for (let round = 0; round < 300; round++) {
      const { gapMs, endMs, timesMs, values, held } = anyStates(random);
      const band = bandOfPoints(timesMs, values, { gapMs, endMs });
      assertSeconds(stateSeconds(band), totals(held), 1e-6, `round ${round}`);
    }
  });

  test('Q7 a band of buckets too, but for a thousandth of a bucket', () => {
    const random = randomOf(332);
    for (let round = 0; round < 300; round++) {
      const { widthMs, endMs, held } = anyStates(random);
      const band = bandOfBuckets(rowsOf(held, widthMs), 's', { widthMs, startMs: 0, endMs });
      const roomS = (widthMs / 1e6) * held.size * (endMs / widthMs);
      assertSeconds(stateSeconds(band), totals(held), roomS, `round ${round}`);
    }
  });
});
