/** Resource queries: which resources, in which order, how many (R13). */
import Type, { type Static } from 'typebox';
import { matchAll, type ResourceQuery, type SortKey } from '#model/filter';
import type { Limits } from '#model/limits';
import { ProblemList, quote } from '#model/problem-list';
import { strict, titled } from '#protocol/schema';
import { parseFieldPath, type ResourceType, unknownField } from './field-path.ts';
import { type FilterRules, parseFilter } from './filter.ts';

const members = {
  filter: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        '{} matches all; members are AND-ed: a field path with a scalar or {operator: value}, or $and / $or with arrays of filters.',
    }),
  ),
  sort: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Field paths in order of precedence; a leading - means descending. Ties are ordered by ID.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'Number of resources; negative: the maximum; 0: the default.',
    }),
  ),
  skip: Type.Optional(Type.Integer({ description: 'Number of matches to leave out; negative means 0.' })),
  total: Type.Optional(Type.Boolean({ description: 'Whether to count all matches.' })),
};

/** The wire form of a resource query. Its filter is read by `filter.ts`. */
export const resourceQuerySchema = Type.Object(members, { ...strict, title: 'ResourceQuery' });

/** The same as the flat form has it: it also says whether the resources come along (interface.md). */
export const flatQuerySchema = titled('FlatResourceQuery', {
  include: Type.Optional(Type.Boolean({ description: 'Whether the answer has the resources.' })),
  ...members,
});

/** What a client may ask of one kind of resource in one operation. */
export interface QueryRules {
  resource: ResourceType;
  limitDefault: number;
  limitMax: number;
  limits: Limits;
}

/** Rules with a default that a smaller maximum of a configuration lowers. */
export function queryRules(
  resource: ResourceType,
  limitDefault: number,
  limitMax: number,
  limits: Limits,
): QueryRules {
  return { resource, limitDefault: Math.min(limitDefault, limitMax), limitMax, limits };
}

/** Takes the place of a query that could not be read, until its problems are reported. */
export const unreadQuery: ResourceQuery = { filter: matchAll, sort: [], limit: 0, skip: 0, total: false };

/** Reads a resource query at `path`; absent members take their default. Fails with every problem, by path. */
export function parseResourceQuery(
  query: Static<typeof resourceQuerySchema> | undefined,
  path: string,
  rules: QueryRules,
): ResourceQuery {
  const problems = new ProblemList();
  const parsed: ResourceQuery = {
    filter: parseFilter(query?.filter, `${path}.filter`, filterRules(rules), problems),
    sort: parseSort(query?.sort ?? [], `${path}.sort`, rules, problems),
    limit: parseLimit(query?.limit, `${path}.limit`, rules, problems),
    skip: parseSkip(query?.skip ?? 0, `${path}.skip`, problems),
    total: query?.total ?? false,
  };
  if (!problems.isEmpty) throw problems.toError();
  return parsed;
}

/** What bounds a filter of such resources. */
export function filterRules({ resource, limits }: Pick<QueryRules, 'resource' | 'limits'>): FilterRules {
  return {
    resource,
    levelsMax: limits.filterLevelsMax,
    termsMax: limits.filterTermsMax,
    patternCharactersMax: limits.patternCharactersMax,
    patternSizeMax: limits.patternSizeMax,
  };
}

/** A negative limit means the maximum; 0, the zero value of published clients, means the default (R13). */
function parseLimit(
  limit: number | undefined,
  path: string,
  rules: QueryRules,
  problems: ProblemList,
): number {
  if (limit === undefined || limit === 0) return rules.limitDefault;
  if (limit > rules.limitMax) problems.add([path], `must be at most ${rules.limitMax}, got ${limit}`);
  return limit < 0 ? rules.limitMax : limit;
}

/** A negative skip is none. */
function parseSkip(skip: number, path: string, problems: ProblemList): number {
  if (skip > Number.MAX_SAFE_INTEGER) {
    problems.add([path], `must be at most ${Number.MAX_SAFE_INTEGER}, got ${skip}`);
  }
  return Math.max(0, skip);
}

function parseSort(
  keys: readonly string[],
  path: string,
  rules: QueryRules,
  problems: ProblemList,
): SortKey[] {
  const max = rules.limits.sortKeysMax;
  if (keys.length > max) {
    problems.add([path], `must have at most ${max} keys, got ${keys.length}`);
    return [];
  }
  return keys.flatMap((key, i) => parseSortKey(key, `${path}.${i}`, rules.resource, problems));
}

function parseSortKey(key: string, path: string, resource: ResourceType, problems: ProblemList): SortKey[] {
  const descending = key.startsWith('-');
  const field = parseFieldPath(descending ? key.slice(1) : key, resource);
  if (field === null) {
    problems.add([path], `${unknownField(resource)}; got ${quote(key)}`);
    return [];
  }
  return [{ path: field.path, descending }];
}
