/** Examples of the reference as calls: what is given as a column of `a` becomes a calculation that gives these values. */
import type { DataFrame } from '@tidemark/client/wire';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';
import type { FormulaFunction } from './language.ts';

/** An example of a function. */
export type Example = FormulaFunction['examples'][number];

/** Whether an example can be run without an item: gapfill takes only items. */
export function isRunnable({ formula, given }: Example): boolean {
  return given === undefined || !formula.includes('gapfill');
}

/** The parameters of service.evaluate that compute an example, in buckets of a minute from 1970 on. */
export function exampleParams({ formula, given }: Example): ParamsOf<'service.evaluate'> {
  const values = given?.split(' ') ?? ['_'];
  const column = { alias: 'a', formula: columnFormula(values) };
  return {
    calculations: [
      ...(given === undefined ? [] : [column]),
      { alias: 'example', formula },
      // Keeps rows in which nothing else has a value.
      { alias: 'row', formula: 'time_seconds / 60' },
    ],
    data: { rollup: 'PT1M', filter: { times: { $gte: 0, $lt: values.length * 60 } } },
  };
}

/** The answer as the reference writes it: `5 _ 3`. */
export function printExample({ series }: Pick<DataFrame, 'series'>): string {
  return (series.example ?? [])
    .map((value) => (value === null ? '_' : String(Number(value.toPrecision(12)))))
    .join(' ');
}

/** `if(time_seconds < 0, null, if(time_seconds < 60, 5, …))`: null also around the column, where lag and lead look. */
function columnFormula(values: readonly string[]): string {
  const steps = values.map(
    (text, i) => `if(time_seconds < ${(i + 1) * 60}, ${text === '_' ? 'null' : text}, `,
  );
  return `if(time_seconds < 0, null, ${steps.join('')}null${')'.repeat(steps.length + 1)}`;
}
