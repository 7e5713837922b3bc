/** spec/formula.md: the reader's reference of the language, written from the tables that the language runs on. */
import { printSignature } from '#domain/formula/check';
import type { Example, FunctionEntry } from '#domain/formula/function-table';
import { functionTable, namedValues } from '#domain/formula/function-table';

const introduction = `# Formulas

What a calculation of \`service.evaluate\` can say. Made by \`server/test/unit/domain/formula/reference.ts\` from the tables that
the service itself uses; the numbers F1 to F7 are those of the specification. Change the tables, then run the test with \`UPDATE=1\`.

A formula computes one number for each bucket of the window:

\`\`\`
(gapfill(a) - b) / max(b, 1) * 100
\`\`\`

\`a\` and \`b\` are aliases of items or groups, or of calculations that come earlier in the list. A formula has at most 1,000
characters and nests at most 64 levels deep: each parenthesis, call, sign, exponent and branch of \`?:\` opens a level;
operands side by side share one (F6).

## Values

- A value is a number or null; a bucket without data is null (F2).
- An operand that is null makes the result null. The exceptions are \`coalesce\`, \`isnull\`, \`if\` and \`?:\` (only the condition
  and the chosen branch matter), \`&&\` (\`0 && null\` is 0) and \`||\` (\`1 || null\` is 1).
- A result that is not a finite number (\`1 / 0\`, \`sqrt(-1)\`, \`exp(1000)\`) is null, also in the middle of a formula.
- There is one zero: -0 is 0.
- Comparisons and logic give 1 or 0. Any number but 0 is true.
- Numbers are written \`12\`, \`1.5\`, \`.5\`, \`2.5e-3\`. They are doubles: about 15 digits.
- A calculation sees every bucket of the window, also those without data. Rows without any returned value are then left
  out (F5).

## Operators

From the tightest to the loosest. Operators of one line group from the left, but \`**\` and \`?:\` from the right.

| operator | meaning |
|---|---|
| \`f(x)\` \`( )\` | call, parentheses |
| \`**\` | power: \`2 ** 3 ** 2\` is 512, \`-2 ** 2\` is -4, \`2 ** -1\` is 0.5 |
| \`-\` \`+\` \`!\` | sign; not: 1 where the operand is 0, else 0 |
| \`*\` \`/\` \`%\` | product, quotient, remainder with the sign of the divisor: \`-7 % 3\` is 2 |
| \`+\` \`-\` | sum, difference |
| \`<\` \`<=\` \`>\` \`>=\` | comparison |
| \`==\` \`!=\` | equality, of doubles and exact |
| \`&&\` | and |
| \`\\|\\|\` | or |
| \`c ? x : y\` | x where c is true, y where c is 0, null where c is null |

## Names

Upper and lower case differ. Beside aliases there are:
`;

const families: Readonly<Record<FunctionEntry['family'], string>> = {
  numbers: '## Functions of numbers (F3)',
  angles: '## Functions of angles (F3)',
  nulls: '## Choice and null (F2, F3)',
  series: `## Functions of other buckets (F4)

They look at other buckets of their argument. In the examples the buckets are minutes and \`a\` has the values given; \`_\` is
null. Numbers \`n\` and \`digits\` are written out (\`3\`, not \`1 + 2\`).

Buckets outside the window are read where these functions need them, at most 1,000 on either side; what is nested adds up:
\`lag(movavg(a, 10), 5)\` looks 14 buckets back. \`gapfill\` makes do with what is left of the 1,000; \`cumsum\` and
\`interpolate\` look at the window only. With rollup \`window\` there is only one bucket: \`lag(a)\` is null, \`movavg(a, 5)\` is a.`,
};

const conclusion = `## Errors

An error names the calculation, the position (the first character is at 1; the end of the text is one past the last) and
what was expected (F6). All problems of all calculations are reported at once:

\`\`\`
{"calculations.2.formula": ["at 7: unknown name \\"c9\\"; a calculation sees items, groups and earlier calculations"]}
\`\`\`

Calculations that would take too long or too much memory over the buckets of the window are refused before anything is
read, under \`calculations\`.
`;

/** The text of spec/formula.md. */
export function printReference(): string {
  const names = namedValues.map(({ name, meaning }) => `- \`${name}\`: ${meaning}`);
  const sections = Object.entries(families).map(([family, heading]) => {
    const entries = functionTable.filter((entry) => entry.family === family);
    return `${heading}\n\n${functionRows(entries)}`;
  });
  return `${[introduction, names.join('\n'), '', sections.join('\n\n'), '', conclusion].join('\n')}`;
}

function functionRows(entries: readonly FunctionEntry[]): string {
  const rows = entries.map((entry) => {
    const examples = entry.examples.map(printExample).join('<br>');
    return `| \`${printSignature(entry)}\` | ${entry.meaning} | ${examples} |`;
  });
  return ['| function | meaning | example |', '|---|---|---|', ...rows].join('\n');
}

/** `abs(-3)` is 3; with a column: `lag(a)`: a `1 2` gives `_ 1`. */
function printExample({ formula, given, gives }: Example): string {
  const result = gives === '_' ? 'null' : gives;
  return given === undefined
    ? `\`${formula}\` is ${result}`
    : `\`${formula}\`: a \`${given}\` gives \`${gives}\``;
}
