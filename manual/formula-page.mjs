/** The reference of formula functions: signature, meaning, examples, and a chart that the service's own formulas computed. */
import { readFileSync } from 'node:fs';
import {
  checkCalculations,
  evaluateCalculations,
  planCalculations,
} from '../server/src/domain/formula/formula.ts';
import { limitDefaults } from '../server/src/model/limits.ts';
import { ProblemList } from '../server/src/model/problem-list.ts';
import { escaped } from './gather.mjs';

const { functions, names } = JSON.parse(
  readFileSync(new URL('../console/src/features/formula/functions.json', import.meta.url), 'utf8'),
);

const hours = 60;
const hourUs = 3600e6;

/** What is drawn where the function applied to `a`, or to `a` and `b`, would not show what it does. */
const drawn = {
  round: 'round(a)',
  pow: 'pow(a, 2)',
  log: 'log(a)',
  mod: 'mod(a, 1)',
  clamp: 'clamp(a, -1, 1)',
  if: 'if(a > 0, a, 0)',
  isnull: 'isnull(a)',
  coalesce: 'coalesce(a, 0)',
  lag: 'lag(a, 6)',
  lead: 'lead(a, 6)',
  movavg: 'movavg(a, 8)',
  movmin: 'movmin(a, 8)',
  movmax: 'movmax(a, 8)',
  movsum: 'movsum(a, 8)',
  exp: 'exp(a)',
  acos: 'acos(a / 3)',
  asin: 'asin(a / 3)',
};

/** A wave with a step and a gap, and a slower wave; the value in an hour. */
const waves = {
  a: (i) =>
    i > 35 && i < 41 ? Number.NaN : 1.6 * Math.sin(i / 5) + (i > 20 ? 0.8 : 0) + 0.25 * Math.sin(i * 2.1),
  b: (i) => Math.cos(i / 9),
};

function column(alias, from, count) {
  return Float64Array.from({ length: count }, (_, i) => waves[alias](from + i));
}

/** Path and text of the page. */
export function formulaPage() {
  const families = [...new Set(functions.map(({ family }) => family))];
  const text = [
    '# Formula functions',
    'Functions of formulas, as [formulas](../spec/formula.md) may call them. In each chart the thin line is `a`, the dashed one `b` where it is used, and the thick one the result, computed by the service itself; a gap is null.',
    ...families.flatMap((family) => [
      `## Functions of ${family}`,
      ...functions.filter((one) => one.family === family).map(functionSection),
    ]),
    '## Names',
    [
      '| Name | Meaning |',
      '|---|---|',
      ...names.map(({ name, meaning }) => `| \`${name}\` | ${escaped(meaning)} |`),
    ].join('\n'),
  ];
  return ['reference/functions.md', `${text.join('\n\n')}\n`];
}

function functionSection(one) {
  const examples = one.examples.map(({ formula, gives }) => `- \`${formula}\` gives \`${gives}\``).join('\n');
  const formula = drawn[one.name] ?? `${one.name}(${argumentsOf(one)})`;
  return [`### ${one.name}`, `\`${one.signature}\` — ${escaped(one.meaning)}`, examples, chart(formula)].join(
    '\n\n',
  );
}

/** `a`, and `b` where a function takes or may take a second value. */
function argumentsOf({ parameters, isVariadic }) {
  const count = Math.max(parameters.filter(({ isRequired }) => isRequired).length, isVariadic ? 2 : 1);
  return ['a', 'b', '1'].slice(0, count).join(', ');
}

/** The values of a formula in the hours of the chart. */
function evaluated(formula) {
  const problems = new ProblemList();
  const scope = { bucketCount: hours, bucketUsMin: hourUs, limits: limitDefaults };
  const calculations = [{ alias: 'result', formula }];
  const checked = checkCalculations(
    calculations,
    { ...scope, signals: new Set(Object.keys(waves)) },
    problems,
  );
  problems.throwIfAny();
  const gapsUs = new Map(Object.keys(waves).map((alias) => [alias, Number.POSITIVE_INFINITY]));
  const plan = planCalculations(checked, { ...scope, gapsUs, returned: new Set(['result']) });
  const { back, ahead } = plan.reach;
  const total = back + hours + ahead;
  const given = new Map([...plan.needs.keys()].map((alias) => [alias, column(alias, -back, total)]));
  const edgesUs = Float64Array.from({ length: total + 1 }, (_, i) => (i - back) * hourUs);
  const steps = evaluateCalculations(plan, given, { edgesUs, first: back, count: hours });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value.get('result');
}

const width = 480;
const height = 120;

function chart(formula) {
  const result = evaluated(formula);
  const shown = [['a', column('a', 0, hours)]];
  if (/\bb\b/.test(formula)) shown.push(['b', column('b', 0, hours)]);
  shown.push(['result', result]);
  const all = shown.flatMap(([, values]) => [...values].filter((value) => !Number.isNaN(value)));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const y = (value) => (height - 8 - ((value - low) / (high - low || 1)) * (height - 16)).toFixed(1);
  const x = (i) => ((i / (hours - 1)) * width).toFixed(1);
  const lines = shown
    .map(([name, values]) => `<path class="chart-${name}" d="${pathOf(values, x, y)}"/>`)
    .join('');
  return `<figure class="chart"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Chart of ${formula.replaceAll('>', '&gt;')}">${lines}</svg><figcaption><code v-pre>${formula.replaceAll('>', '&gt;')}</code></figcaption></figure>`;
}

/** A line through the values, interrupted at nulls. */
function pathOf(values, x, y) {
  let isOpen = false;
  let path = '';
  values.forEach((value, i) => {
    if (Number.isNaN(value)) isOpen = false;
    else {
      path += `${isOpen ? 'L' : 'M'}${x(i)} ${y(value)}`;
      isOpen = true;
    }
  });
  return path;
}
