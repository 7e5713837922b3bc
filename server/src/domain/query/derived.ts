/** Calculated items in the plan of an answer: of what each is computed, in which order, and what that reads (C2). */
import {
  type CalculationPlan,
  checkCalculations,
  planCalculations,
  type Reach,
  widestReach,
} from '#domain/formula/formula';
import { isStatistic } from '#model/aggregation';
import type { BucketRule } from '#model/bucket';
import type { CalculationInput, ItemCalculation } from '#model/calculation';
import { AppError, bug, invalidParams } from '#model/error';
import { ProblemList } from '#model/problem-list';
import type { Statistic } from '#model/statistic';
import type { FedItem } from '#storage/meta-store';
import type { AnswerShape } from './check.ts';
import { type Column, gapOf, type ItemSource, shiftedReach } from './column.ts';
import { bucketUsMin } from './window.ts';

/** The inputs of calculated items, at all levels, by ID. */
export type InputItems = ReadonlyMap<string, FedItem>;

/** Nothing is calculated. */
export const noInputs: InputItems = new Map();

/** A calculated item, computed bucket by bucket from its inputs, and then used like what is read of other items. */
export interface DerivedItem {
  item: FedItem;
  /** The inputs that the formula needs, by alias. */
  columns: readonly Column[];
  /** Computes {@link valueAlias}. */
  calculations: CalculationPlan;
  statistics: readonly Statistic[];
  states: readonly number[];
  /** Buckets around a piece for which it is computed, and what its formula looks at from there. */
  reach: Reach;
  /** The most columns that it makes. */
  columnsMax: number;
}

/** The name of an item's value in its {@link DerivedItem.calculations}: no alias of an input is like it. */
export const valueAlias = '=';

/** What the plan of sources depends on. */
export interface SourceScope extends Pick<AnswerShape, 'bucketCount' | 'limits' | 'path'> {
  rule: BucketRule;
  inputs: InputItems;
}

/** What is read for some columns, and what is computed of it first: inputs before those that use them. */
export interface SourcePlan {
  /** Each item once, whatever many columns it is in. */
  sources: readonly ItemSource[];
  derived: readonly DerivedItem[];
}

/** Plans the sources of columns; `reaches` has the buckets around a piece that each column needs. */
export function planSources(
  columns: readonly Column[],
  reaches: readonly Reach[],
  scope: SourceScope,
): SourcePlan {
  const uses = new Map<string, Use[]>();
  noteUses(uses, columns, reaches);
  const derived: DerivedItem[] = [];
  for (const item of usersFirst(columns, scope.inputs)) {
    const source = sourceOf(uses.get(item.id) ?? bug(`item ${item.id} is not used`));
    uses.delete(item.id);
    const one = derive(source, scope);
    noteUses(uses, one.columns, inputReaches(one, source.reach, scope));
    derived.push(one);
  }
  return { sources: [...uses.values()].map(sourceOf), derived: derived.reverse() };
}

/** An item in one column. */
interface Use extends Pick<Column, 'aggregation' | 'state'> {
  item: FedItem;
  reach: Reach;
}

function noteUses(uses: Map<string, Use[]>, columns: readonly Column[], reaches: readonly Reach[]): void {
  for (const [i, { aggregation, state, members }] of columns.entries()) {
    for (const item of members)
      uses.getOrInsertComputed(item.id, () => []).push({ item, aggregation, state, reach: reaches[i] });
  }
}

function sourceOf(uses: readonly Use[]): ItemSource {
  const statistics = uses.map(({ aggregation }) => aggregation).filter(isStatistic);
  const states = uses.map(({ state }) => state).filter((state) => state !== null);
  return {
    item: uses[0].item,
    statistics: [...new Set(statistics)],
    states: states.includes('seen') ? 'seen' : [...new Set(states as number[])],
    reach: widestReach(uses.map(({ reach }) => reach)),
  };
}

/** The calculated items behind these columns, each after all that use it. */
function usersFirst(columns: readonly Column[], inputs: InputItems): FedItem[] {
  const seen = new Set<string>();
  const found: FedItem[] = [];
  const visit = (item: FedItem): void => {
    if (item.calculation === null || seen.has(item.id)) return;
    seen.add(item.id);
    for (const input of item.calculation.inputs) visit(inputItem(input, inputs));
    found.push(item);
  };
  for (const { members } of columns) for (const item of members) visit(item);
  return found.reverse();
}

function inputItem({ item }: CalculationInput, inputs: InputItems): FedItem {
  return inputs.get(item) ?? bug(`the input ${item} was not looked up`);
}

function derive({ item, statistics, states, reach }: ItemSource, scope: SourceScope): DerivedItem {
  const calculation = item.calculation ?? bug(`item ${item.id} is not calculated`);
  if (states === 'seen') bug('the states of a calculated item are those that have a name');
  const all = calculation.inputs.map((input) => columnOf(input, scope.inputs));
  const calculations = planFormula(item, calculation, all, scope);
  const columns = all.filter(({ alias }) => calculations.needs.has(alias));
  return {
    ...{ item, columns, calculations, statistics, states },
    reach: added(reach, calculations.reach),
    columnsMax: columns.length + calculations.columnsMax + statistics.length + states.length,
  };
}

function columnOf(input: CalculationInput, inputs: InputItems): Column {
  const { alias, aggregation, state, lead, lag } = input;
  const members = [inputItem(input, inputs)];
  return { alias, aggregation, state, offset: lead - lag, members, groupAggregation: null };
}

/** Saved formulas were checked; that one is refused now means that a limit was lowered, or that it is too much for this call. */
function planFormula(
  { id }: FedItem,
  { formula }: ItemCalculation,
  columns: readonly Column[],
  { rule, bucketCount, limits, path }: SourceScope,
): CalculationPlan {
  const usMin = bucketUsMin(rule.width);
  const problems = new ProblemList();
  const signals = new Set(columns.map(({ alias }) => alias));
  const asked = [{ alias: valueAlias, formula }];
  try {
    const checked = checkCalculations(asked, { signals, bucketUsMin: usMin, limits, of: 'item' }, problems);
    problems.throwIfAny();
    return planCalculations(checked, {
      gapsUs: new Map(columns.map((column) => [column.alias, gapOf(column)])),
      returned: new Set([valueAlias]),
      ...{ bucketCount, bucketUsMin: usMin, limits },
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid-params') throw error;
    const problem = Object.values(error.params ?? {})
      .flat()
      .join('; ');
    throw invalidParams({ [path]: [`the formula of the calculated item ${id}: ${problem}`] });
  }
}

/** The buckets around a piece that are needed of each input, where the item itself is needed in `own`. */
function inputReaches({ columns, calculations }: DerivedItem, own: Reach, { rule }: SourceScope): Reach[] {
  return columns.map((column) => {
    const needed = calculations.needs.get(column.alias) ?? { back: 0, ahead: 0 };
    // The whole window is one bucket: there is no other to look at.
    return rule.width === 'window' ? needed : shiftedReach(column, added(own, needed));
  });
}

function added(one: Reach, other: Reach): Reach {
  return { back: one.back + other.back, ahead: one.ahead + other.ahead };
}
