/** Selections: wrapping by version and format, and what is included (R12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemResource, itemText } from '#methods/resource-view';
import { frameSelection, readFormat, readInclude, selection } from '#methods/selection';
import { Frame } from '#model/frame';
import type { Item } from '#model/signal';
import { answerPieces, successAnswer } from '#protocol/answer';
import { newTicket } from '../../support/load.ts';
import { problemsOf } from '../../support/problems.ts';
import { attributes, item } from '../../support/resources.ts';

function itemOf(id: string): Item {
  return item({ id, attributes: attributes({ name: id }) });
}

const a = itemOf('a'.repeat(20));
const b = itemOf('b'.repeat(20));
/** What a client receives. */
function asSent(result: unknown): unknown {
  return JSON.parse([...answerPieces(successAnswer('1', result))].join('')).result;
}

const list = { dataAsArray: true, groupIncludedByType: false };
const map = { dataAsArray: false, groupIncludedByType: true };

test('R12 an array, in the order of the query, without included', () => {
  const parts = { version: '1.1', format: list, total: null, data: [b, a], included: null } as const;
  const answer = selection(parts, itemText);
  assert.deepEqual(asSent(answer), {
    meta: { total: -1, format: list },
    data: [itemResource(b), itemResource(a)],
  });
  assert.deepEqual(Object.keys(answer), ['meta', 'data']);
});

test('R12 an object keyed by ID, included grouped, each once, by ID', () => {
  const parts = { version: '1.2', format: map, total: 2, data: [b, a], included: [b, a, b] } as const;
  assert.deepEqual(asSent(selection(parts, itemText)), {
    meta: { total: 2, format: map },
    data: { [b.id]: itemResource(b), [a.id]: itemResource(a) },
    included: { items: [itemResource(a), itemResource(b)] },
  });
});

test('R12 1.1beta2 has its own meta', () => {
  const parts = { format: map, total: 0, data: [], included: null } as const;
  assert.deepEqual(asSent(selection({ version: '1.1beta2', ...parts }, itemText)), {
    meta: { total: 0, groupIncludedByType: true },
    data: {},
  });
});

test('R12 what was asked for is there, also when it is empty', () => {
  const parts = { version: '1.1', total: 0, data: [], included: [] } as const;
  assert.deepEqual(selection({ ...parts, format: list }, itemText).included, []);
  assert.deepEqual(selection({ ...parts, format: map }, itemText).included, { items: [] });
});

const frame = new Frame(
  Float64Array.of(1, 2, 3),
  new Map([
    ['x', Float64Array.of(1, Number.NaN, 3)],
    ['y', Float64Array.of(Number.NaN, 5, Number.NaN)],
  ]),
);

test('R12 a frame stays one, or becomes one for each series with the rows that it has', async () => {
  const parts = { version: '1.1', total: 2, data: frame, included: null } as const;
  const call = { ticket: newTicket() };
  assert.equal((await frameSelection(call, { ...parts, format: map })).data, frame);
  const frames = (await frameSelection(call, { ...parts, format: list })).data as Frame[];
  assert.deepEqual(
    frames.map(({ timesUs, series }) => [
      [...timesUs],
      [...series].map(([key, values]) => [key, [...values]]),
    ]),
    [
      [[1, 3], [['x', [1, 3]]]],
      [[2], [['y', [5]]]],
    ],
  );
});

test('R12 the format wins over groupIncludedByType, which wins over the default', () => {
  assert.deepEqual(readFormat({}, list), list);
  assert.deepEqual(readFormat({ groupIncludedByType: true }, list), {
    dataAsArray: true,
    groupIncludedByType: true,
  });
  const both = { format: { groupIncludedByType: false }, groupIncludedByType: true };
  assert.deepEqual(readFormat(both, map), { dataAsArray: false, groupIncludedByType: false });
});

test('R12 include takes item and items, and names what it does not know', () => {
  assert.equal(readInclude([]), false);
  assert.equal(readInclude(['item']), true);
  assert.equal(readInclude(['items', 'item']), true);
  assert.deepEqual(
    problemsOf(() => readInclude(['item', 'signal'])),
    {
      'include.1': ['must be "item", got "signal"'],
    },
  );
});

test('R5 a text is written once for a record, and anew for another record of the same ID', () => {
  assert.equal(itemText(a), itemText(a));
  const renamed = item({ id: a.id, attributes: attributes({ name: 'renamed' }) });
  assert.match(String(itemText(renamed).text), /"renamed"/);
});

test('R12 a page is written once for an array of records, and anew for another one', () => {
  const parts = { version: '1.2', format: list, total: null, included: null } as const;
  const records = [a, b];
  const page = selection({ ...parts, data: records }, itemText).data;
  assert.equal(selection({ ...parts, data: records }, itemText).data, page);
  assert.deepEqual(asSent(selection({ ...parts, data: [b] }, itemText)), {
    meta: { total: -1, format: list },
    data: [itemResource(b)],
  });
});
