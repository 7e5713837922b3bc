/** The template tag of SQL: what is text, and what is bound. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifier, join, type Sql, sql, valueRows } from '#storage/meta/sql';

/** The text with `$1`, `$2` … for its values, and the values. */
function printed(statement: Sql): [text: string, values: readonly unknown[]] {
  return [statement.text((index) => `$${index}`), statement.values];
}

it('a value is bound, whatever it contains', () => {
  const name = `'; drop table signal; --`;
  assert.deepEqual(printed(sql`select ${1} where name = ${name} and x = ${null}`), [
    'select $1 where name = $2 and x = $3',
    [1, name, null],
  ]);
});

it('parts become text, and their values keep their order', () => {
  const mine = sql`integration = ${'a'}`;
  const inner = sql`(${mine} or ${sql`x < ${2}`})`;
  assert.deepEqual(printed(sql`where ${inner} and y = ${3} limit ${4}`), [
    'where (integration = $1 or x < $2) and y = $3 limit $4',
    ['a', 2, 3, 4],
  ]);
  assert.deepEqual(printed(sql`${sql``}${mine}`), ['integration = $1', ['a']]);
});

it('lists are joined, of parts, of values, and of nothing', () => {
  assert.deepEqual(printed(sql`in (${join([1, sql`x`, 'b'])})`), ['in ($1, x, $2)', [1, 'b']]);
  assert.deepEqual(printed(join([sql`a`, sql`b = ${1}`], ' and ')), ['a and b = $1', [1]]);
  assert.deepEqual(printed(sql`(${join([])})`), ['()', []]);
});

it('rows of values', () => {
  assert.deepEqual(
    printed(
      sql`values ${valueRows([
        [1, 'a'],
        [2, null],
      ])}`,
    ),
    ['values ($1, $2), ($3, $4)', [1, 'a', 2, null]],
  );
  assert.deepEqual(printed(valueRows([[1], [2]])), ['($1), ($2)', [1, 2]]);
});

it('names are quoted, with the alias of their table', () => {
  assert.deepEqual(printed(sql`${identifier('r.id')} = ${identifier('key')}`), ['"r"."id" = "key"', []]);
});
