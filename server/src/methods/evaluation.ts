/** Items, groups and calculations of service.evaluate, converted from the wire form (Q9-Q12). */
import Type, { type Static } from 'typebox';
import type { Aggregated, ItemAggregation, ItemGroup } from '#domain/query/request';
import {
  type GroupAggregation,
  groupAggregations,
  parseAggregation,
  parseGroupAggregation,
} from '#domain/query/request';
import { type Aggregation, aggregations } from '#model/aggregation';
import { type AppError, invalidParams } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import { type ProblemList, quote } from '#model/problem-list';
import { titled } from '#protocol/schema';
import type { Version } from '#protocol/version';
import { parseResourceQuery, resourceQuerySchema, unreadQuery } from './resource-query.ts';

const aliasSchema = Type.String({
  description: 'Series key, and name in formulas: a letter or _, then up to 27 letters, digits or _ (Q11).',
});

const aggregatedMembers = {
  timeAggregation: Type.Optional(
    Type.String({ description: 'How points become one value for each bucket, default avg (Q6, Q10).' }),
  ),
  state: Type.Optional(Type.Integer({ description: '0-9999; needed by the state aggregations.' })),
  lead: Type.Integer({ default: 0, description: 'Shifts by whole buckets (Q9).' }),
  lag: Type.Integer({ default: 0, description: 'Shifts by whole buckets (Q9).' }),
  alias: aliasSchema,
};

const itemSchema = titled('ItemAggregation', {
  id: Type.String({ description: 'Item ID.' }),
  aggregation: Type.Optional(Type.String({ description: 'A synonym of timeAggregation.' })),
  ...aggregatedMembers,
});

const groupSchema = titled('GroupAggregation', {
  query: Type.Optional(resourceQuerySchema),
  filter: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Instead of query: only its filter.' }),
  ),
  aggregation: Type.Optional(Type.String({ description: 'A synonym of timeAggregation.' })),
  ...aggregatedMembers,
  groupAggregation: Type.Optional(
    Type.String({ description: `Across items: ${groupAggregations.join(', ')}; default avg (Q12).` }),
  ),
});

const calculationSchema = titled('Calculation', {
  formula: Type.String({ description: 'See the grammar of formulas.' }),
  alias: aliasSchema,
});

/** The parameter `items`. */
export const itemsSchema = Type.Array(itemSchema, { default: [] });

/** The parameter `groups`, in 1.2. */
export const groupsSchema = Type.Array(groupSchema, { default: [] });

/** The parameter `calculations`: each sees items, groups and the calculations before it. */
export const calculationsSchema = Type.Array(calculationSchema, { default: [] });

/** These came with 1.2 (Q6). */
const aggregationsOf12: ReadonlySet<string> = new Set(['median', 'p05', 'p95', 'stddev']);

/** Reads the items; problems are noted by path, below the name of the parameter. */
export function parseItems(
  items: Static<typeof itemsSchema>,
  version: Version,
  problems: ProblemList,
  name = 'items',
): ItemAggregation[] {
  return items.map((item, i) => ({
    ...parseAggregated(item, [name, i], version, problems),
    id: item.id,
  }));
}

/** Reads the groups; problems are noted by path. */
export function parseGroups(
  groups: Static<typeof groupsSchema>,
  limits: Limits,
  problems: ProblemList,
): ItemGroup[] {
  return groups.map((group, i) => ({
    ...parseAggregated(group, ['groups', i], '1.2', problems),
    query: problems.attempt(() => parseGroupQuery(group, i, limits, problems)) ?? unreadQuery,
    groupAggregation: parseAcross(group.groupAggregation, i, problems),
  }));
}

type AggregatedParams = Omit<Static<typeof itemSchema>, 'id'>;

function parseAggregated(
  params: AggregatedParams,
  path: (string | number)[],
  version: Version,
  problems: ProblemList,
): Aggregated {
  const { state, lead, lag, alias } = params;
  return {
    aggregation: parseInTime(params, path, version, problems),
    state: state ?? null,
    lead,
    lag,
    alias,
  };
}

/** `aggregation` and `timeAggregation` are synonyms (Q11); an empty one gives way to the other. */
function parseInTime(
  { aggregation, timeAggregation }: AggregatedParams,
  path: (string | number)[],
  version: Version,
  problems: ProblemList,
): Aggregation {
  if (aggregation && timeAggregation && aggregation !== timeAggregation) {
    problems.add(
      [...path, 'aggregation'],
      `must be the same as timeAggregation ${quote(timeAggregation)}, or left out`,
    );
  }
  const text = timeAggregation || aggregation;
  const parsed = parseAggregation(text);
  if (parsed !== null && (version === '1.2' || !aggregationsOf12.has(parsed))) return parsed;
  const known = aggregations.filter((name) => version === '1.2' || !aggregationsOf12.has(name));
  const member = timeAggregation ? 'timeAggregation' : 'aggregation';
  problems.add([...path, member], `must be one of ${known.join(', ')}, got ${quote(text)}`);
  return 'avg';
}

function parseAcross(text: string | undefined, index: number, problems: ProblemList): GroupAggregation {
  const parsed = parseGroupAggregation(text);
  if (parsed !== null) return parsed;
  const known = groupAggregations.join(', ');
  problems.add(['groups', index, 'groupAggregation'], `must be one of ${known}, got ${quote(text)}`);
  return 'avg';
}

/** Without a limit the query asks for one item more than may be referenced, so that too large a group is refused (Q12). */
function parseGroupQuery(
  group: Static<typeof groupSchema>,
  index: number,
  limits: Limits,
  problems: ProblemList,
): ResourceQuery {
  const { itemsLimitMax } = limits;
  const rules = {
    resource: 'items',
    limitDefault: itemsLimitMax + 1,
    limitMax: itemsLimitMax,
    limits,
  } as const;
  const { query, filter } = group;
  if (query !== undefined && filter !== undefined) {
    throw problem(`groups.${index}.filter`, 'cannot be combined with query; give only one of them');
  }
  if (query !== undefined) return parseResourceQuery(query, `groups.${index}.query`, rules);
  if (filter === undefined && problems.has(`groups.${index}.query`)) return unreadQuery;
  if (filter === undefined) throw problem(`groups.${index}.filter`, 'required');
  return parseResourceQuery({ filter }, `groups.${index}`, rules);
}

function problem(path: string, message: string): AppError {
  return invalidParams({ [path]: [message] });
}
