/** A sheet of formulas: items under aliases, calculations over them, and the address that brings it back. */
import type { Calculation, ItemAggregation } from '@tidemark/client/wire';
import type { Item } from '../explorer/item.ts';
import { itemsMax } from '../explorer/view.ts';
import { aliasPattern, functions, isTakenWord, type KnownAlias, names } from './language.ts';

/** An item under a name of one's own. */
export interface SheetItem {
  id: string;
  alias: string;
  aggregation: string;
  /** The state that state aggregations measure. */
  state: number | null;
  /** Lead less lag, in buckets, where it is not 0: of an input of a calculated item. */
  offset?: number;
}

/** Everything that is computed. */
export interface Sheet {
  items: readonly SheetItem[];
  calculations: readonly Calculation[];
  /** Aliases whose lines are switched off. */
  hidden: ReadonlySet<string>;
}

/** A sheet of nothing. */
export const emptySheet: Sheet = { items: [], calculations: [], hidden: new Set() };

/** The limits of the service. */
export const sheetLimits = { items: itemsMax, calculations: 100, formulaCharacters: 1000 } as const;

/** Every aggregation of an item over time (Q6, Q10), with what it is called. */
export const aggregations: Readonly<Record<string, string>> = {
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  sum: 'Sum',
  count: 'Count',
  first: 'First',
  last: 'Last',
  median: 'Median',
  p05: '5th percentile',
  p95: '95th percentile',
  stddev: 'Standard deviation',
  'state-seconds': 'Seconds in state',
  'state-percent': 'Percent in state',
  'state-rate': 'Share in state',
};

/** Whether an aggregation measures a state. */
export function isStateAggregation(aggregation: string): boolean {
  return aggregation.startsWith('state-');
}

/** The items parameter of service.evaluate. */
export function itemParams(items: readonly SheetItem[]): ItemAggregation[] {
  return items.map(({ id, alias, aggregation, state, offset = 0 }) => ({
    id,
    alias,
    aggregation,
    ...(isStateAggregation(aggregation) ? { state: state ?? 0 } : {}),
    ...(offset > 0 ? { lead: offset } : offset < 0 ? { lag: -offset } : {}),
  }));
}

/** The aliases that the calculation at `index` may use: all items, and what comes before it. */
export function aliasesBefore(sheet: Sheet, index: number, nameOf: (id: string) => string): KnownAlias[] {
  return [
    ...sheet.items.map(({ id, alias, aggregation }) => ({
      alias,
      meaning: `${nameOf(id)}, ${(aggregations[aggregation] ?? aggregation).toLowerCase()}`,
    })),
    ...sheet.calculations.slice(0, index).map(({ alias, formula }) => ({ alias, meaning: formula })),
  ];
}

/** An alias that is free, and no word of the language: from a name, `pump_1_flow`; with a number where it is taken. */
export function freeAlias(name: string, taken: Iterable<string>): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 24);
  const stem = /^[a-z_]/.test(words) ? words : `x${words === '' ? '' : `_${words}`}`.slice(0, 24);
  const used = new Set([...taken, ...[...functions, ...names].map(({ name }) => name)]);
  if (!used.has(stem)) return stem;
  for (let n = 2; ; n++) if (!used.has(`${stem}_${n}`)) return `${stem}_${n}`;
}

/** The sheet with one more item, under an alias made of its name; an enum by its first state. */
export function addItem(sheet: Sheet, item: Pick<Item, 'id' | 'name' | 'isEnum' | 'states'>): Sheet {
  const [state] = [...item.states.keys()];
  const entry = {
    id: item.id,
    alias: freeAlias(item.name, aliasesOf(sheet)),
    ...(item.isEnum
      ? { aggregation: 'state-percent', state: state ?? 0 }
      : { aggregation: 'avg', state: null }),
  };
  return { ...sheet, items: [...sheet.items, entry] };
}

/** Every alias of the sheet. */
export function aliasesOf(sheet: Sheet): string[] {
  return [...sheet.items, ...sheet.calculations].map(({ alias }) => alias);
}

/** What is wrong with a new alias in place of `before`; null: nothing (Q11). */
export function aliasProblem(alias: string, before: string, taken: readonly string[]): string | null {
  if (alias !== before && taken.includes(alias)) return 'This alias is taken';
  if (isTakenWord(alias)) return 'This is a word of the language';
  return aliasPattern.test(alias) ? null : 'Letters, digits and _, at most 28, no digit first';
}

/** The sheet with an alias changed everywhere: also in the formulas that use it. */
export function renameAlias(sheet: Sheet, before: string, after: string): Sheet {
  const rename = <T extends { alias: string }>(entry: T): T =>
    entry.alias === before ? { ...entry, alias: after } : entry;
  const isSafe = aliasPattern.test(before) && aliasPattern.test(after);
  const pattern = new RegExp(`(?<![A-Za-z0-9_.])${isSafe ? before : '(?!)'}(?![A-Za-z0-9_])`, 'g');
  return {
    items: sheet.items.map(rename),
    calculations: sheet.calculations.map(rename).map(({ alias, formula }) => ({
      alias,
      formula: isSafe ? formula.replace(pattern, after) : formula,
    })),
    hidden: new Set([...sheet.hidden].map((alias) => (alias === before ? after : alias))),
  };
}

/** The sheet with a text put into a calculation at a position; where there is no such calculation, into a new one. */
export function insertText(
  sheet: Sheet,
  text: string,
  { calculation, position }: { calculation: number; position: number },
): Sheet {
  const target = sheet.calculations[calculation];
  if (!target)
    return { ...sheet, calculations: [...sheet.calculations, { ...newCalculation(sheet), formula: text }] };
  const formula = target.formula.slice(0, position) + text + target.formula.slice(position);
  return { ...sheet, calculations: sheet.calculations.with(calculation, { ...target, formula }) };
}

/** An empty calculation under an alias that is free: `c3`. */
export function newCalculation(sheet: Sheet): Calculation {
  return { alias: freeAlias(`c${sheet.calculations.length + 1}`, aliasesOf(sheet)), formula: '' };
}

/** The sheet as text for the address. */
export function printSheet({ items, calculations, hidden }: Sheet): string | null {
  if (items.length === 0 && calculations.length === 0) return null;
  return JSON.stringify([
    items.map(({ id, alias, aggregation, state, offset }) => {
      if (offset !== undefined) return [id, alias, aggregation, state, offset];
      return state === null ? [id, alias, aggregation] : [id, alias, aggregation, state];
    }),
    calculations.map(({ alias, formula }) => [alias, formula]),
    [...hidden],
  ]);
}

/** Reads the text of the address; what cannot be meant is left out. */
export function parseSheet(text: string | null): Sheet {
  try {
    const [items, calculations, hidden] = JSON.parse(text ?? '[]') as unknown[];
    return {
      items: list(items).flatMap(readItem).slice(0, sheetLimits.items),
      calculations: list(calculations).flatMap(readCalculation).slice(0, sheetLimits.calculations),
      hidden: new Set(list(hidden).filter((alias) => typeof alias === 'string')),
    };
  } catch {
    return emptySheet;
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function readItem(value: unknown): SheetItem[] {
  const [id, alias, aggregation, state, offset] = list(value);
  if (typeof id !== 'string' || !/^[a-v0-9]{20}$/.test(id) || typeof alias !== 'string') return [];
  const known = typeof aggregation === 'string' && Object.hasOwn(aggregations, aggregation);
  return [
    {
      id,
      alias,
      aggregation: known ? aggregation : 'avg',
      state: Number.isInteger(state) ? (state as number) : null,
      ...(Number.isInteger(offset) && offset !== 0 ? { offset: offset as number } : {}),
    },
  ];
}

function readCalculation(value: unknown): Calculation[] {
  const [alias, formula] = list(value);
  return typeof alias === 'string' && typeof formula === 'string' ? [{ alias, formula }] : [];
}
