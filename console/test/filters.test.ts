/** Filters, orders and files of lists: what is typed, shown as conditions, sent to the service and exported. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { csvOf } from '../src/parts/csv.ts';
import { itemFields, signalFields } from '../src/parts/filter/fields.ts';
import {
  type FilterJson,
  filterOf,
  needsValue,
  operatorsOf,
  parseFilterText,
  type Term,
  termsOf,
  withSearch,
  wordsOf,
} from '../src/parts/filter/terms.ts';
import { sortBy } from '../src/parts/sort-rows.ts';
import { layoutOf } from '../src/parts/table-layout.ts';
import { randomOf } from './support/random.ts';

const random = randomOf(31);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
/** Texts with what patterns, JSON and files treat specially. */
const texts = [
  '',
  'a',
  'Pump 1',
  'a.b*',
  '(?i)',
  'p(1',
  '[x]{2}|\\d',
  '"q"',
  'ä°C',
  '^$',
  'a, b',
  'line\nbreak',
];

suite('conditions and the filter that is sent', () => {
  test('every condition that can be added in the form is shown as the same condition', () => {
    for (const fields of [signalFields, itemFields])
      for (const field of fields)
        for (const operator of operatorsOf[field.kind])
          for (const text of field.choices ? Object.keys(field.choices) : texts) {
            const path = field.hasKey ? `${field.path}key` : field.path;
            const term: Term = { path, operator, value: needsValue(operator) ? text : '' };
            // A pattern that says the same as "contains" is shown as that.
            const isContains = operator === 'matches' && text.startsWith('(?i)');
            if (!isContains) assert.deepEqual(termsOf(filterOf([term])), [term]);
          }
  });

  test('a list of conditions on different fields stays as it is, in its order', () => {
    for (let round = 0; round < 200; round++) {
      const fields = signalFields.filter(({ hasKey }) => !hasKey && random() < 0.4);
      const terms = fields.map((field): Term => {
        const operator = pick(operatorsOf[field.kind]);
        const value = needsValue(operator)
          ? pick(field.choices ? Object.keys(field.choices) : texts.slice(1, 4))
          : '';
        return { path: field.path, operator, value };
      });
      assert.deepEqual(termsOf(filterOf(terms)), terms);
    }
  });

  test('whatever filter was typed as JSON, removing another condition does not change it', () => {
    for (let round = 0; round < 500; round++) {
      const member = randomMember();
      const added: Term = { path: 'engUnit', operator: 'is', value: 'bar' };
      const both = filterOf([...termsOf(member), added]);
      const left = filterOf(termsOf(both).filter((term) => !('path' in term) || term.path !== 'engUnit'));
      assert.deepEqual(plain(left), plain(member));
    }
  });

  const kept: FilterJson[] = [
    { name: {} },
    { $and: [] },
    { name: null },
    { name: true },
    { visible: 'yes' },
    { visible: { $ne: 'true' } },
    { item: { $exists: 'no' } },
    { name: { $eq: 5 } },
    { $and: [{ name: 'a' }, 'b'] },
    { $or: [] },
  ];
  for (const filter of kept)
    test(`${JSON.stringify(filter)} has no words, and is kept as it is`, () => {
      assert.deepEqual(termsOf(filter), [{ json: filter }]);
      assert.deepEqual(filterOf(termsOf(filter)), filter);
    });

  test('whether an item is visible is sent as true or false, not as a text', () => {
    assert.deepEqual(filterOf([{ path: 'visible', operator: 'is', value: 'true' }]), { visible: true });
    assert.deepEqual(filterOf([{ path: 'visible', operator: 'isNot', value: 'false' }]), {
      visible: { $ne: false },
    });
    assert.deepEqual(filterOf([{ path: 'name', operator: 'is', value: 'true' }]), { name: 'true' });
  });

  test('each comparison has its words', () => {
    const words = (path: string, filter: unknown) =>
      termsOf({ [path]: filter }).map((term) => wordsOf(term, itemFields));
    assert.deepEqual(words('createdAt', { $gte: '2026-01-01', $lt: '2026-02-01' }), [
      'Created from 2026-01-01',
      'Created before 2026-02-01',
    ]);
    assert.deepEqual(words('name', { $regex: '^P' }), ['Name matches pattern ^P']);
    assert.deepEqual(words('labels.a.b', { $exists: true }), ['Label a.b is set']);
    assert.deepEqual(words('annotations.by', { $ne: 'Ada' }), ['Annotation by is not Ada']);
    assert.deepEqual(words('visible', false), ['Visible is no']);
  });
});

suite('searching in a list', () => {
  test('the text is found in any case and literally, whatever it contains', () => {
    for (const text of texts.filter((each) => each.trim() !== '')) {
      const { $or } = withSearch({}, text, ['name']) as { $or: [{ name: { $regex: string } }] };
      const pattern = $or[0].name.$regex;
      assert.ok(pattern.startsWith('(?i)'), pattern);
      const finder = new RegExp(pattern.slice(4), 'i');
      assert.ok(finder.test(`00 ${text.toUpperCase()} 00`), text);
      assert.ok(!finder.test('00 00'), text);
    }
  });

  test('spaces around the text do not count, and each field is searched', () => {
    assert.deepEqual(withSearch({}, ' p ', ['name', 'input']), {
      $or: [{ name: { $regex: '(?i)p' } }, { input: { $regex: '(?i)p' } }],
    });
  });

  test('text that is no JSON has a message that says where; white space is no filter', () => {
    const parsed = parseFilterText('{"name": }');
    assert.match('problem' in parsed ? parsed.problem : '', /JSON/);
    assert.deepEqual(parseFilterText(' \n'), { filter: {} });
    for (const text of ['null', '5', '"a"', '[{}]'])
      assert.deepEqual(parseFilterText(text), { problem: 'A filter is an object: {"name": "…"}.' }, text);
  });
});

suite('rows in order', () => {
  interface Row {
    name: string | null;
    points: number | null;
    place: number;
  }
  const columns = [
    { id: 'name', sort: (row: Row) => row.name },
    { id: 'points', sort: (row: Row) => row.points },
  ];
  const rowsOf = (count: number): Row[] =>
    Array.from({ length: count }, (_, place) => ({
      name: random() < 0.2 ? null : `pump ${Math.floor(random() * 30)}`,
      points: random() < 0.2 ? null : Math.round(random() * 40) / 2 - 10,
      place,
    }));
  const numberIn = ({ name }: Row) => (name === null ? null : Number(name.slice(5)));

  test('any rows are in the order of a column, those without a value at one end, none lost', () => {
    const numbersOf = { name: numberIn, points: (row: Row) => row.points } as const;
    for (let round = 0; round < 100; round++)
      for (const [id, numberOf] of Object.entries(numbersOf))
        for (const sign of ['', '-']) {
          const rows = rowsOf(20);
          const sorted = sortBy(rows, columns, `${sign}${id}`);
          const values = sorted.map((row) => numberOf(row) ?? Number.NEGATIVE_INFINITY);
          const expected = values.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1));
          assert.deepEqual(values, sign === '' ? expected : expected.reverse());
          assert.deepEqual(new Set(sorted), new Set(rows));
        }
  });

  test('rows with the same value keep the order in which they came, in both directions', () => {
    for (let round = 0; round < 50; round++)
      for (const sort of ['name', '-name', 'points', '-points']) {
        const sorted = sortBy(rowsOf(40), columns, sort);
        const key = sort.endsWith('name') ? 'name' : 'points';
        for (const [i, row] of sorted.entries()) {
          const before = sorted[i - 1];
          if (before && before[key] === row[key]) assert.ok(before.place < row.place, sort);
        }
      }
  });

  test('negative and broken numbers are compared by value, not as texts', () => {
    const rows = [10, -1, 9, -20, 0.5].map((points, place) => ({ name: null, points, place }));
    assert.deepEqual(
      sortBy(rows, columns, 'points').map(({ points }) => points),
      [-20, -1, 0.5, 9, 10],
    );
  });

  test('numbers and texts in one column have an order', () => {
    const mixed = [{ value: 'b' }, { value: 10 }, { value: 'a' }, { value: 9 }];
    const sorted = sortBy(mixed, [{ id: 'value', sort: ({ value }) => value }], 'value');
    assert.deepEqual(
      sorted.map(({ value }) => value),
      [9, 10, 'a', 'b'],
    );
  });

  test('a list is not changed by sorting it', () => {
    const rows = rowsOf(10);
    const copy = [...rows];
    sortBy(rows, columns, 'points');
    assert.deepEqual(rows, copy);
  });
});

suite('the widths of columns', () => {
  const columns = [{ id: 'a', width: '1.5fr' }, { id: 'b' }, { id: 'c', width: '60px' }];
  const layout = (change: Partial<Parameters<typeof layoutOf>[1]>) =>
    layoutOf(columns, { hasCheck: false, isNarrow: false, widths: {}, ...change });

  test('without check boxes there is no column for them', () =>
    assert.equal(layout({}).template, 'minmax(138px, 1.5fr) minmax(92px, 1fr) 60px'));

  test('on a phone shares may be narrower', () =>
    assert.deepEqual(layout({ isNarrow: true }), {
      template: 'minmax(93px, 1.5fr) minmax(62px, 1fr) 60px',
      widthMin: 93 + 62 + 60,
    }));

  test('a share of less than one is not narrower than one', () =>
    assert.equal(
      layoutOf([{ id: 'a', width: '0.5fr' }], { hasCheck: true, isNarrow: false, widths: {} }).widthMin,
      44 + 92,
    ));
});

test('a file of any texts is read back as it was', () => {
  for (let round = 0; round < 200; round++) {
    const lines = Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => pick(texts)));
    assert.deepEqual(readCsv(csvOf(lines)), lines);
  }
});

/** A filter with one path other than `engUnit`, as people may type it. */
function randomMember(): FilterJson {
  const path = pick(['name', 'visible', 'labels.site', 'createdAt', 'item', 'annotations.x.y']);
  const operand = () => pick<unknown>(['a', '(?i)b\\.c', '', true, false, null, 5, ['a'], {}]);
  const operators = ['$eq', '$ne', '$in', '$gt', '$gte', '$lt', '$regex', '$exists'];
  if (random() < 0.2) return { [pick(['$or', '$and'])]: [{ [path]: operand() }] };
  return { [path]: random() < 0.4 ? operand() : { [pick(operators)]: operand() } };
}

/** A filter in its shortest form: `$eq` and an `$and` of one member say nothing more. */
function plain(filter: unknown): unknown {
  const [[key, value] = ['', undefined], ...more] = Object.entries(filter ?? {});
  if (more.length > 0 || typeof filter !== 'object' || filter === null) return filter;
  if (key === '$and' && Array.isArray(value) && value.length === 1) return plain(value[0]);
  const { $eq, ...others } = (value ?? {}) as { $eq?: unknown };
  const isText = typeof $eq === (key === 'visible' ? 'boolean' : 'string');
  return isText && Object.keys(others).length === 0 ? { [key]: $eq } : filter;
}

/** Reads CSV as RFC 4180 says. */
function readCsv(text: string): string[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  const lines: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(field)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end !== ',') lines.push([]);
  }
  return lines.slice(0, -1);
}
