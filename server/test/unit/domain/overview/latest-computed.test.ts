/** The newest values of calculated items in lists (C4): one item that needs too much does not take the others' away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Latest } from '#domain/overview/latest';
import { parseInstant } from '#model/instant';
import { limitDefaults } from '#model/limits';
import { of, Plant } from '../query/plant.ts';

test('C4 items that are too many together are computed one at a time; one that is too much has no newest value', async () => {
  const plant = new Plant();
  const time = '2026-03-01T11:50:30Z';
  const inputs = await Promise.all([1, 2, 3, 4].map((value) => plant.item({}, [[time, value]])));
  const [a, b, c, d] = inputs;
  const two = await plant.calculated('p + q', [of(a, 'p'), of(b, 'q')], {}, 'PT1M');
  const other = await plant.calculated('p * q', [of(c, 'p'), of(d, 'q')], {}, 'PT1M');
  const three = inputs.slice(0, 3).map((one, i) => of(one, ['p', 'q', 'r'][i]));
  const wide = await plant.calculated('p + q + r', three, {}, 'PT1M');
  const { meta, series, clock } = plant;
  const latest = new Latest({ meta, series, clock, limits: { ...limitDefaults, calculationItemsMax: 2 } });
  const newest = await latest.ofItems(
    [two, other, wide, a].map(({ id }) => id),
    new AbortController().signal,
  );
  const beginUs = parseInstant('2026-03-01T11:50:00Z');
  assert.deepEqual(newest.get(two.id), { timeUs: beginUs, value: 3 });
  assert.deepEqual(newest.get(other.id), { timeUs: beginUs, value: 12 });
  assert.equal(newest.get(wide.id), null);
  assert.deepEqual(newest.get(a.id), { timeUs: parseInstant(time), value: 1 });
});
