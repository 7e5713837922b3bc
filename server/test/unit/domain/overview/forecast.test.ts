/** How long the disk will last. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ForecastSource, forecastOf } from '#domain/overview/forecast';

/** A million points a day, of 2 bytes; a hundred million bytes are free. */
const usual: ForecastSource = {
  pointsByDay: [1e6, 1e6, 1e6],
  storeBytes: 2e7,
  points: 1e7,
  freeBytes: 1e8,
  keepDays: null,
};

test('a disk lasts as many days as what is free holds of a usual one', () => {
  assert.deepEqual(forecastOf(usual), { bytesPerDay: 2e6, freeBytes: 1e8, daysLeft: 50, keptBytes: null });
});

test('one import is no basis for a forecast', () => {
  assert.equal(forecastOf({ ...usual, pointsByDay: [9e9, 1e6, 1e6, 1e6] })?.daysLeft, 50);
  assert.equal(forecastOf({ ...usual, pointsByDay: [9e9, 0, 0] })?.daysLeft, null, 'it does not grow');
  assert.equal(
    forecastOf({ ...usual, pointsByDay: [1e6, 3e6] })?.daysLeft,
    25,
    'between the two in the middle',
  );
});

test('L5 with a retention that frees space in time the disk is never full', () => {
  const held = forecastOf({ ...usual, keepDays: 60 });
  assert.deepEqual([held?.daysLeft, held?.keptBytes], [null, 1.2e8]);
  const tooLong = forecastOf({ ...usual, keepDays: 61 });
  assert.deepEqual([tooLong?.daysLeft, tooLong?.keptBytes], [50, 1.22e8]);
});

test('after a day, or with a few points, there is no forecast yet', () => {
  assert.equal(forecastOf({ ...usual, pointsByDay: [] }), null);
  assert.equal(forecastOf({ ...usual, pointsByDay: [1e6] }), null);
  assert.equal(forecastOf({ ...usual, points: 999_999 }), null);
});
