/** Hashes of passwords, and the rules for names and passwords. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords, passwordCost } from '#domain/people/password';
import { checkPerson } from '#domain/people/rules';
import type { AppError } from '#model/error';
import { NumberTables } from '#threads/number-table';
import { cheapPasswords } from '../../../support/people.ts';
import { SeededRandom } from '../../../support/world.ts';

const cheap = new Passwords(
  new SeededRandom(),
  { passwordsWaitingMax: 16 },
  new NumberTables(),
  cheapPasswords,
);

test('a hash names its cost, has a salt of its own, and checks only its password', async () => {
  const [one, two] = await Promise.all([cheap.hash('right'), cheap.hash('right')]);
  assert.match(one, /^scrypt\$4\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await cheap.verify('right', one), true);
  assert.equal(await cheap.verify('wrong', one), false);
  assert.equal(await cheap.verify('right', null), false);
  assert.equal(await cheap.verify('right', 'scrypt$x'), false);
});

test('what a keyboard composes in two ways is one password', async () => {
  assert.equal(await cheap.verify('caf\u0065\u0301', await cheap.hash('caf\u00e9')), true);
});

test('a hash of another cost still checks, and is known to be outdated', async () => {
  const dearer = new Passwords(new SeededRandom(), { passwordsWaitingMax: 16 }, new NumberTables(), {
    logN: 5,
    r: 8,
    p: 1,
  });
  const old = await cheap.hash('right');
  assert.equal(await dearer.verify('right', old), true);
  assert.deepEqual([dearer.isOutdated(old), cheap.isOutdated(old)], [true, false]);
});

test('A5e the usual cost is what OWASP asks for', async () => {
  assert.deepEqual(passwordCost, { logN: 17, r: 8, p: 1 });
  const usual = new Passwords(new SeededRandom(), { passwordsWaitingMax: 1 }, new NumberTables());
  assert.match(await usual.hash('right'), /^scrypt\$17\$8\$1\$/);
});

test('too many at once are refused, and later ones are welcome again', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => cheap.hash('x')));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 16);
  assert.match(await cheap.hash('x'), /^scrypt/);
});

const problems: [title: string, name: string, password: string, paths: string[]][] = [
  ['a good one', 'Ada', 'correct horse battery', []],
  ['eleven characters', 'Ada', 'correct hor', ['password']],
  ['twelve characters', 'Ada', 'correct hors', []],
  ['twelve characters outside the BMP', 'Ada', '🐴🔋📎✅🐎🔌📌❎🐴🔋📎✅', []],
  ['257 characters', 'Ada', 'correct horse '.repeat(19), ['password']],
  ['one letter again and again', 'Ada', 'aaaaaaaaaaaaaaaa', ['password']],
  ['the name and as much again', 'Ada Lovelace', 'adalovelace ADA LOVELACE', []],
  ['little more than the name', 'Ada Lovelace', 'ada lovelace1815', ['password']],
  ['no name', '', 'correct horse battery', ['name']],
  ['a name of 65', 'a'.repeat(65), 'correct horse battery', ['name']],
  ['a name with a space before it', ' Ada', 'correct horse battery', ['name']],
  ['a name with a line break', 'A\nda', 'correct horse battery', ['name']],
  ['a lone surrogate', 'Ada', 'correct horse \ud800battery', ['password']],
];

for (const [title, name, password, paths] of problems) {
  test(`A5e names and passwords: ${title}`, () => {
    let found: string[] = [];
    try {
      checkPerson(name, password);
    } catch (error) {
      found = Object.keys((error as AppError).params ?? {});
    }
    assert.deepEqual(found, paths);
  });
}
