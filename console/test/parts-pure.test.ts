/** What the parts compute, without a browser: orders, layouts, keys, numbers, steps. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { signalFields } from '../src/parts/filter/fields.ts';
import { type Operator, wordsOf } from '../src/parts/filter/terms.ts';
import { sortBy } from '../src/parts/sort-rows.ts';
import { statesOf } from '../src/parts/step-states.ts';
import { targetOf } from '../src/parts/table-keys.ts';
import { hasChoice, layoutOf, visibilityOf } from '../src/parts/table-layout.ts';

suite('rows in the order of a column', () => {
  const rows = [
    { name: 'pump 10', points: 3 },
    { name: 'pump 9', points: null },
    { name: 'Pump 2', points: 40 },
  ];
  const columns = [
    { id: 'name', sort: (row: (typeof rows)[number]) => row.name },
    { id: 'points', sort: (row: (typeof rows)[number]) => row.points },
    { id: 'actions' },
  ];
  const namesBy = (sort: string) => sortBy(rows, columns, sort).map(({ name }) => name);
  test('numbers within texts are compared as numbers', () =>
    assert.deepEqual(namesBy('name'), ['Pump 2', 'pump 9', 'pump 10']));
  test('a minus sign reverses the order', () =>
    assert.deepEqual(namesBy('-name'), ['pump 10', 'pump 9', 'Pump 2']));
  test('numbers are sorted by value, and a missing one is first', () =>
    assert.deepEqual(namesBy('points'), ['pump 9', 'pump 10', 'Pump 2']));
  for (const sort of ['', 'actions', 'gone'])
    test(`the given order stays for “${sort}”`, () =>
      assert.deepEqual(
        namesBy(sort),
        rows.map(({ name }) => name),
      ));
});

suite('columns', () => {
  const columns = [
    { id: 'name', isNarrow: true, width: '2fr' },
    { id: 'unit', width: '64px' },
    { id: 'age', isNarrow: true },
    { id: 'id', isExtra: true, width: '210px' },
  ];
  const shown = (chosen: readonly string[] | undefined, isNarrow: boolean) =>
    Object.entries(visibilityOf(columns, chosen, isNarrow)).flatMap(([id, is]) => (is ? [id] : []));
  test('extra ones are hidden until they are chosen', () => {
    assert.deepEqual(shown(undefined, false), ['name', 'unit', 'age']);
    assert.deepEqual(shown(['id'], false), ['name', 'id'], 'the first column is always shown');
    assert.ok(hasChoice(columns));
    assert.ok(!hasChoice(columns.slice(0, 3)));
  });
  test('on a phone only those for it are shown, whatever was chosen', () => {
    assert.deepEqual(shown(['unit', 'id'], true), ['name', 'age']);
  });
  test('a table without columns for phones shows all of them there', () => {
    const plain = [{ id: 'a' }, { id: 'b' }];
    assert.deepEqual(visibilityOf(plain, undefined, true), { a: true, b: true });
  });
  test('shares have a least width; a width that the user set replaces that of the column', () => {
    const layout = layoutOf(columns, { hasCheck: true, isNarrow: false, widths: { unit: 100 } });
    assert.equal(layout.template, '44px minmax(184px, 2fr) 100px minmax(92px, 1fr) 210px');
    assert.equal(layout.widthMin, 44 + 184 + 100 + 92 + 210);
  });
});

suite('keys in a table of 100 rows of which 20 make a page', () => {
  const cases = [
    ['ArrowDown', 6],
    ['ArrowUp', 4],
    ['PageDown', 25],
    ['PageUp', -15],
    ['Home', 0],
    ['End', 99],
    ['a', null],
    ['Enter', null],
  ] as const;
  for (const [key, to] of cases)
    test(`${key} moves from row 5 to ${to}`, () => assert.equal(targetOf(key, 5, 20, 99), to));
});

test('the first step that is not done is the next one', () => {
  assert.deepEqual(statesOf([true, false, true, false]), ['done', 'next', 'done', 'open']);
  assert.deepEqual(statesOf([true, true]), ['done', 'done']);
});

suite('conditions in words', () => {
  const words = (path: string, operator: Operator, value: string) =>
    wordsOf({ path, operator, value }, signalFields);
  test('a field by its title, a choice by its words', () => {
    assert.equal(words('engUnit', 'is', '°C'), 'Unit is °C');
    assert.equal(words('valueType', 'isNot', 'enum'), 'Type is not states');
  });
  test('a label by its key; what needs no value has none', () => {
    assert.equal(words('labels.site', 'contains', 'north'), 'Label site contains north');
    assert.equal(words('item', 'missing', ''), 'Item is not set');
  });
  test('an unknown path as it is, anything else as JSON', () => {
    assert.equal(words('color', 'is', 'red'), 'color is red');
    assert.equal(wordsOf({ json: { $or: [] } }, signalFields), '{"$or":[]}');
  });
});
