/** Patterns: sizes bound what is compiled, and matching agrees with RegExp where both have the same meaning. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern, keptPatternBytes, patternProblem } from '#model/pattern';
import { patternSize } from '#model/pattern-size';

const character = fc.constantFrom(...'abcAB19 _-é日');
const escaped = fc.constantFrom(
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '\\W',
  '\\.',
  '\\\\',
  '\\x{41}',
  '\\x41',
  '\\b',
  '.',
  '^',
  '$',
);
const classMember = fc.constantFrom('a', 'b-d', '0-9', '\\d', '\\]', '_', 'A-C', 'é');
const charClass = fc
  .tuple(fc.boolean(), fc.array(classMember, { minLength: 1, maxLength: 6 }))
  .map(([isNegated, members]) => `[${isNegated ? '^' : ''}${members.join('')}]`);
const counted = fc
  .tuple(fc.nat(12), fc.option(fc.nat(12)))
  .map(([least, more]) => (more === null ? `{${least},}` : `{${least},${least + more}}`));
const suffix = fc.oneof(fc.constantFrom('', '', '', '*', '+', '?', '*?', '{3}', '{0}', '{20}'), counted);

const { pattern } = fc.letrec<{ pattern: string; sequence: string; atom: string; group: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: fc
    .array(
      fc
        .tuple(tie('atom'), suffix)
        .map(([atom, times]) => (/^(\^|\$|\\b)$/.test(atom) ? atom : atom + times)),
      { maxLength: 5 },
    )
    .map((parts) => parts.join('')),
  atom: fc.oneof({ maxDepth: 4, withCrossShrink: true }, character, escaped, charClass, tie('group')),
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?P<name>', '(?i:', '(?s:'), tie('pattern'))
    .map(([open, inside]) => `${open}${inside})`),
}));

/** Without repetitions within repetitions, over which RegExp would take exponential time. */
const plain = fc
  .array(
    fc.tuple(fc.oneof(character, escaped, charClass), fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,3}')),
    { maxLength: 4 },
  )
  .map((parts) => parts.map(([atom, times]) => (/^(\^|\$|\\b)$/.test(atom) ? atom : atom + times)).join(''));
/** V8 reads `(?i:…)` before a class wrongly, so there is none in here. */
const flat = fc
  .array(fc.tuple(plain, fc.option(fc.tuple(fc.constantFrom('(', '(?:', '(?s:'), plain, plain))), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) =>
    parts
      .map(([first, group]) => (group === null ? first : `${first}${group[0]}${group[1]}|${group[2]})`))
      .join(''),
  );

/** What re2js has compiled the pattern to; null where it refuses it. */
function instructionsOf(text: string): number | null {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return null;
  }
}

it('R14b the size of a pattern is at least that of its program', () => {
  fc.assert(
    fc.property(pattern, (text) => {
      const size = patternSize(text);
      fc.pre(size < 20_000);
      const instructions = instructionsOf(text);
      assert.ok(instructions === null || size >= instructions, `${size} < ${instructions}`);
    }),
    { numRuns: 5000 },
  );
});

it('R14b any text has a size, which for texts that compile is at least that of the program', () => {
  const piece = fc.constantFrom(
    ...'ab(){}[]|*+?\\^$.,:-0129pPLQEx<>=!i'.split(''),
    '\\pL',
    '{9}',
    '\\Q',
    '\\E',
    '[^',
    '(?i)',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join('');
      const size = patternSize(text);
      assert.ok(size >= 3);
      fc.pre(size < 20_000);
      const instructions = instructionsOf(text);
      assert.ok(instructions === null || size >= instructions, `${text}: ${size} < ${instructions}`);
    }),
    { numRuns: 20_000, examples: [[['[^', 'a', '-', ']', '\\Q', '(?i)']], [['a', '{9}', '(?i)', '{9}']]] },
  );
});

it('R14 matching agrees with RegExp on what both understand', () => {
  const letters = fc.string({ unit: character, maxLength: 12 });
  fc.assert(
    fc.property(flat, letters, (text, subject) => {
      const expected = expressionOf(text.replaceAll('\\x{41}', '\\x41'));
      fc.pre(expected !== null && patternProblem(text) === null);
      assert.equal(compilePattern(text).test(subject), expected?.test(subject));
    }),
    { numRuns: 5000 },
  );
});

/** Null where JavaScript has no such expression. */
function expressionOf(text: string): RegExp | null {
  try {
    return new RegExp(text, 'v');
  } catch {
    return null;
  }
}

it('R14b the compiled patterns that a thread keeps are bounded in bytes', () => {
  for (let i = 0; i < 500; i++) compilePattern(`a{900}${i}`);
  assert.ok(keptPatternBytes() <= 16 * 1024 * 1024);
  assert.ok(keptPatternBytes() > 8 * 1024 * 1024);
});

it('R14b the size of hostile patterns shows their cost', () => {
  const sizes = [
    '(?:x?){999}'.repeat(4),
    '\\pL{999}',
    '((a{10}){10}){10}',
    '(?i)[B-\\x{1E942}]',
    '[\\pL\\pN]{40}',
  ].map(patternSize);
  for (const size of sizes) assert.ok(size > 450, String(sizes));
  const ordinary = [
    'pump',
    '^Tank [0-9]+ level$',
    '(?i)temp|pressure',
    '\\w+-\\d{1,4}',
    '[a-z]{1,50}',
    '\\pL+ \\pN',
  ].map(patternSize);
  for (const size of ordinary) assert.ok(size < 260, String(ordinary));
});
