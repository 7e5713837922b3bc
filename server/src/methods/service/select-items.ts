/**
 * service.selectItems: items, in 1.1beta1 as maps by ID with their data (flat), since 1.1beta2 as a selection (relational).
 * 1.1 has both: which one is meant shows in the parameters (W10).
 */

import Type, { type Static } from 'typebox';
import { invalidParams } from '#model/error';
import type { ProblemList } from '#model/problem-list';
import { type Call, defineMethod, type Method } from '#protocol/method';
import { flatParams, flatResultSchema, selectFlatItems } from '../flat-selection.ts';
import { parseResourceQuery, queryRules, resourceQuerySchema, unreadQuery } from '../resource-query.ts';
import { itemResourceSchema, itemText } from '../resource-view.ts';
import {
  type FormatParams,
  includeItemsSchema,
  readFormat,
  readInclude,
  selectFormat,
  selection,
  selectionSchema,
  wrappingSchemas,
} from '../selection.ts';
import type { MethodServices } from '../services.ts';

const definition = {
  name: 'service.selectItems',
  grant: 'service',
  load: 'read',
  role: 'viewer',
  checksFirst: true,
  summary: 'Selects items.',
} as const;

const betaParams = Type.Object({ query: Type.Optional(resourceQuerySchema), ...wrappingSchemas.beta });
const formatParams = Type.Object({ query: Type.Optional(resourceQuerySchema), ...wrappingSchemas.format });
const eitherParams = Type.Object({
  ...formatParams.properties,
  include: Type.Optional(includeItemsSchema),
  ...flatParams.properties,
});

/** The parameters of one form, which versions that know only the other refuse (W10). */
const relationalNames = ['query', 'include', 'format'];
const flatNames = Object.keys(flatParams.properties);

type Services = Pick<MethodServices, 'signals' | 'query' | 'limits'>;

/** The definitions of service.selectItems. */
export function selectItems(services: Services): Method[] {
  return [
    defineMethod({
      ...definition,
      versions: ['1.1beta1'],
      summary: 'Selects items and their data.',
      params: flatParams,
      refusedParams: relationalNames,
      result: flatResultSchema('type'),
      run: (call, params, problems) => selectFlatItems(services, call, params, problems),
    }),
    defineMethod({
      ...definition,
      versions: ['1.1beta2'],
      params: betaParams,
      refusedParams: flatNames,
      result: selectionSchema('1.1beta2', itemResourceSchema),
      run: (call, params, problems) => selectRelational(services, call, params, problems),
    }),
    selectEither(services),
    defineMethod({
      ...definition,
      synonyms: ['service.items.select'],
      versions: ['1.2'],
      params: formatParams,
      result: selectionSchema('1.2', itemResourceSchema),
      run: (call, params, problems) => selectRelational(services, call, params, problems),
    }),
  ];
}

function selectEither(services: Services): Method {
  return defineMethod({
    ...definition,
    versions: ['1.1'],
    summary:
      'Selects items: with any of query, include and format as a selection, else in the flat form, with data.',
    params: eitherParams,
    result: Type.Union([selectionSchema('1.1', itemResourceSchema), flatResultSchema('valueType')]),
    async run(call, params, problems) {
      if (!isRelational(params)) return selectFlatItems(services, call, params, problems);
      problems.attempt(() => refuseMixed(params));
      return selectRelational(services, call, { ...params, include: params.include ?? [] }, problems);
    },
  });
}

type EitherParams = Static<typeof eitherParams>;

/** Null counts as absent: parameters without a value of either form are the flat form (W10). */
function isRelational({ query, include, format, groupIncludedByType }: EitherParams): boolean {
  return [query, include, format, groupIncludedByType].some((value) => value !== undefined);
}

function refuseMixed(params: EitherParams): void {
  const given = flatNames.filter((name) => params[name as keyof EitherParams] !== undefined);
  if (given.length === 0) return;
  const message =
    'is of the flat form; query, include and format ask for the relational one: give only one form';
  throw invalidParams(Object.fromEntries(given.map((name) => [name, [message]])));
}

interface RelationalParams extends FormatParams {
  query?: Static<typeof resourceQuerySchema>;
  include: readonly string[];
}

async function selectRelational(
  { signals, limits }: Services,
  call: Call,
  params: RelationalParams,
  problems: ProblemList,
) {
  const rules = queryRules('items', 20, limits.selectLimitMax, limits);
  const wantsItems = problems.attempt(() => readInclude(params.include));
  const query = problems.attempt(() => parseResourceQuery(params.query, 'query', rules)) ?? unreadQuery;
  problems.throwIfAny();
  const { records, total } = await signals.selectItems(query, () => call.signal);
  const format = readFormat(params, selectFormat);
  const included = wantsItems ? [] : null;
  return selection({ version: call.version, format, total, data: records, included }, itemText);
}
