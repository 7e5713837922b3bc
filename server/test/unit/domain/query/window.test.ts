/** Defaults and limits of windows (Q1, L2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Form, Width } from '#domain/query/request';
import { resolveWindow, windowDaysMax, windowProblem } from '#domain/query/window';
import { dayUs, parseDuration } from '#model/duration';
import { instantUsMax, parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import { limitDefaults } from '#model/limits';
import { ask } from './plant.ts';

const nowUs = parseInstant('2026-03-01T12:00:00Z');
const defaults: [Form, string | null, string | null, string, string][] = [
  ['flat', null, null, '2026-02-22T12:00:00Z', '2026-03-08T12:00:00Z'],
  ['flat', '2026-01-01T00:00:00Z', null, '2026-01-01T00:00:00Z', '2026-01-15T00:00:00Z'],
  ['flat', null, '2026-03-01T00:00:00Z', '2026-02-22T12:00:00Z', '2026-03-01T00:00:00Z'],
  ['evaluate', null, null, '2026-02-22T12:00:00Z', '2026-03-08T12:00:00Z'],
  ['evaluate', '2026-01-01T00:00:00Z', null, '2026-01-01T00:00:00Z', '2026-01-15T00:00:00Z'],
  ['evaluate', null, '2026-01-15T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-15T00:00:00Z'],
  ['data-frame', null, null, '2026-02-22T12:00:00Z', '2026-03-08T12:00:00Z'],
  ['data-frame', '2026-01-01T00:00:00Z', null, '2026-01-01T00:00:00Z', '2026-01-15T00:00:00Z'],
  ['data-frame', null, '2026-01-15T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-15T00:00:00Z'],
];
for (const [form, from, before, start, end] of defaults) {
  test(`Q1 ${form} from ${from} before ${before} is ${start} .. ${end}`, () => {
    const { startUs, endUs } = resolveWindow(ask(from, before, null), form, nowUs);
    assert.deepEqual([printInstant(startUs), printInstant(endUs)], [start, end]);
  });
}

test('R3 a default that would leave the range of timestamps ends there', () => {
  const late = { ...ask(null, null, null), fromUs: instantUsMax - 1 };
  assert.equal(resolveWindow(late, 'flat', nowUs).endUs, instantUsMax);
});

const limits: [Form, string | null, number][] = [
  ['flat', null, 40],
  ['flat', 'PT59.999999S', 40],
  ['flat', 'PT1M', 400],
  ['flat', 'P1D', 400],
  ['flat', 'P1M', 400],
  ['flat', 'window', 400],
  ['evaluate', 'PT30S', 40],
  ['evaluate', 'PT1M', 400],
  ['evaluate', 'PT23H', 400],
  ['evaluate', 'PT24H', 1900],
  ['evaluate', 'P30D', 1900],
  ['evaluate', 'P1M', 1900],
  ['evaluate', 'window', Number.POSITIVE_INFINITY],
  ['data-frame', null, 40],
  ['data-frame', 'PT1M', 400],
  ['data-frame', 'P1D', 1900],
  ['data-frame', 'P29D', 1900],
  ['data-frame', 'P30D', 3660],
  ['data-frame', 'P1M', 3660],
  ['data-frame', 'window', Number.POSITIVE_INFINITY],
];
for (const [form, rollup, days] of limits) {
  test(`L2 ${form} with rollup ${rollup} allows ${days} days`, () => {
    const width: Width | null = rollup === null || rollup === 'window' ? rollup : parseDuration(rollup);
    assert.equal(windowDaysMax(width, form, limitDefaults), days);
    if (days === Number.POSITIVE_INFINITY) return;
    const edge = { startUs: 0, endUs: days * dayUs };
    assert.equal(windowProblem(edge, width, form, limitDefaults), null);
    const past = windowProblem({ startUs: 0, endUs: days * dayUs + 1 }, width, form, limitDefaults);
    assert.match(past ?? '', new RegExp(`at most ${days} days`));
  });
}
