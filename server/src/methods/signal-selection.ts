/** Selections of signals with their items: the answer that five admin operations give (R11, R12). */
import Type, { type Static } from 'typebox';
import type { Identity } from '#domain/identity/identity';
import type { Signals } from '#domain/signals/signals';
import type { ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import type { ProblemList } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import type { Version } from '#protocol/version';
import { requireKnown } from './integration-param.ts';
import {
  parseResourceQuery,
  type QueryRules,
  queryRules,
  type resourceQuerySchema,
} from './resource-query.ts';
import { signalResourceSchema, signalText } from './resource-view.ts';
import {
  type FormatParams,
  readFormat,
  readInclude,
  selectFormat,
  selection,
  selectionSchema,
} from './selection.ts';

/** The parameter `dryRun` of the operations that change the signals they select (R11). */
export const dryRunSchema = Type.Boolean({
  default: false,
  description: 'Change nothing; return what the result would be.',
});

/** The rules of a query that selects signals (R13). */
export function signalRules(limits: Limits): QueryRules {
  return queryRules('signals', 20, limits.selectLimitMax, limits);
}

/** The parameters by which a caller shapes the answer. */
export interface ShapeParams extends FormatParams {
  include: readonly string[];
}

/** The parameters of an operation on the signals of an integration that a query selects. */
interface SelectParams extends ShapeParams {
  integration: string;
  query?: Static<typeof resourceQuerySchema>;
}

/** The query of an operation on signals. Everything that is wrong with its parameters is thrown at once (E2). */
export function readSignalQuery(
  { identity, limits }: { identity: Identity; limits: Limits },
  { integration, query, include }: SelectParams,
  problems: ProblemList,
): ResourceQuery {
  const read = problems.attempt(() => parseResourceQuery(query, 'query', signalRules(limits)));
  problems.attempt(() => readInclude(include));
  problems.attempt(() => requireKnown(identity, integration));
  problems.throwIfAny();
  return read as ResourceQuery;
}

/** The schema of the answer in a version. */
export function signalSelectionSchema(version: Version) {
  return selectionSchema(version, signalResourceSchema);
}

/** Answers with the signals that `select` gives; `include` is checked before anything is read or written. */
export async function answerSignals(
  signals: Signals,
  version: Version,
  params: ShapeParams,
  select: () => Promise<SelectedSignals>,
) {
  const wantsItems = readInclude(params.include);
  const { records, total } = await select();
  const parts = {
    ...{ version, format: readFormat(params, selectFormat), total, data: records },
    included: wantsItems ? await itemsOf(signals, records) : null,
  };
  return selection(parts, signalText);
}

/** As {@link answerSignals}, of signals that were connected or disconnected: without `included` where no item is left (R12). */
export async function answerRelated(
  signals: Signals,
  params: ShapeParams,
  relate: () => Promise<SelectedSignals>,
) {
  const { included, ...answer } = await answerSignals(signals, '1.2', params, relate);
  return included === undefined || isEmpty(included) ? answer : { ...answer, included };
}

function isEmpty(included: readonly unknown[] | { items: readonly unknown[] }): boolean {
  return ('items' in included ? included.items : included).length === 0;
}

interface SelectedSignals {
  records: Signal[];
  total: number | null;
}

/** The items that signals feed. */
export function itemsOf(signals: Signals, records: readonly Signal[]): Promise<Item[]> {
  const ids = new Set(records.flatMap(({ item }) => (item === null ? [] : [item])));
  return signals.itemsById([...ids]);
}
