/** Which columns tables and files have: every statistic that was loaded of every item, with a title. */
import { comparisons } from './compare.ts';
import type { FileColumn } from './file.ts';
import { type Item, stateText } from './item.ts';
import { type Loaded, previousPrefix } from './plot.ts';
import { type Statistic, statistics } from './view.ts';

/** The columns of tables and files: of every item, every statistic that was loaded. */
export function fileColumns(items: readonly Item[], loaded: Loaded): FileColumn[] {
  return items.flatMap((item) => [
    ...columnsOf(item, loaded, ''),
    ...(loaded.compares === '' ? [] : columnsOf(item, loaded, previousPrefix)),
  ]);
}

/** The columns of an item, or with the prefix those of what it is compared with. */
function columnsOf(item: Item, { rows, rollup, compares }: Loaded, prefix: string): FileColumn[] {
  const unit = item.unit === '' ? '' : ` [${item.unit}]`;
  const when = prefix === '' ? '' : `, ${comparisons[compares].toLowerCase()}`;
  const key = `${prefix}${item.id}`;
  if (rollup === null) {
    const text = item.isEnum ? { text: (value: number) => item.states.get(value) ?? String(value) } : {};
    return rows.columns.has(key) ? [{ key, title: `${item.name}${when}${unit}`, ...text }] : [];
  }
  return [...rows.columns.keys()]
    .filter((each) => each.startsWith(`${key}_`))
    .map((each) => each.slice(key.length + 1))
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map((suffix) => ({ key: `${key}_${suffix}`, title: columnTitle(`${item.name}${when}`, item, suffix) }));
}

/** Average, minimum, maximum, sum, count; then states by number. */
function placeOf(suffix: string): number {
  const place = Object.keys(statistics).indexOf(suffix);
  return place >= 0 ? place : 100 + Number(/\d+$/.exec(suffix)?.[0] ?? 0);
}

/** `Pump 1 flow average [m³/h]`, `Pump 1 state: running [s]`. */
function columnTitle(name: string, item: Item, statistic: string): string {
  const state = /^state_(\d+)$/.exec(statistic)?.[1];
  if (state !== undefined) return `${name}: ${stateText(item, Number(state))} [s]`;
  const word = statistics[statistic as Statistic]?.toLowerCase() ?? statistic;
  return `${name} ${word}${statistic === 'count' || item.unit === '' ? '' : ` [${item.unit}]`}`;
}
