/**
 * service.selectItems: items, in 1.1beta1 as maps by ID with their data (flat), since 1.1beta2 as a selection (relational).
 * 1.1 has both: which one is meant shows in the parameters (W10).
 */
import Type, { type Static } from 'typebox';
import { invalidParams } from '#model/error';
import { defineMethod, type Method } from '#protocol/method';
import type { Version } from '#protocol/version';
import type { Domain } from '../domain.ts';
import { flatParams, flatResultSchema, selectFlatItems } from '../flat-selection.ts';
import { parseResourceQuery, queryRules, resourceQuerySchema } from '../resource-query.ts';
import { itemResource, itemResourceSchema } from '../resource-view.ts';
import {
  type FormatParams,
  readFormat,
  refuseInclude,
  selectFormat,
  selection,
  selectionSchema,
  wrappingSchemas,
} from '../selection.ts';

const name = 'service.selectItems';
const summary = 'Selects items.';
const grant = 'service';

const betaParams = Type.Object({ query: Type.Optional(resourceQuerySchema), ...wrappingSchemas.beta });
const formatParams = Type.Object({ query: Type.Optional(resourceQuerySchema), ...wrappingSchemas.format });
const eitherParams = Type.Object({ ...formatParams.properties, ...flatParams.properties });

/** The definitions of service.selectItems. */
export function selectItems(domain: Domain): Method[] {
  return [
    defineMethod({
      name,
      grant,
      load: 'read',
      role: 'viewer',
      versions: ['1.1beta1'],
      summary: 'Selects items and their data.',
      params: flatParams,
      result: flatResultSchema('type'),
      run: (call, params) => selectFlatItems(domain, call, params),
    }),
    defineMethod({
      name,
      grant,
      load: 'read',
      role: 'viewer',
      versions: ['1.1beta2'],
      summary,
      params: betaParams,
      result: selectionSchema('1.1beta2', itemResourceSchema),
      run: (_call, params) => selectRelational(domain, '1.1beta2', params),
    }),
    selectEither(domain),
    defineMethod({
      name,
      synonyms: ['service.items.select'],
      grant,
      load: 'read',
      role: 'viewer',
      versions: ['1.2'],
      summary,
      params: formatParams,
      result: selectionSchema('1.2', itemResourceSchema),
      run: (_call, params) => selectRelational(domain, '1.2', params),
    }),
  ];
}

function selectEither(domain: Domain): Method {
  return defineMethod({
    name,
    grant,
    load: 'read',
    role: 'viewer',
    versions: ['1.1'],
    summary: 'Selects items; with any of items, data and signals in the flat form, with data.',
    params: eitherParams,
    result: Type.Union([selectionSchema('1.1', itemResourceSchema), flatResultSchema('valueType')]),
    async run(call, params) {
      if (!isFlat(params)) return selectRelational(domain, '1.1', params);
      refuseMixed(params);
      return selectFlatItems(domain, call, params);
    },
  });
}

function isFlat(params: Static<typeof eitherParams>): boolean {
  return params.items !== undefined || params.data !== undefined || params.signals !== undefined;
}

function refuseMixed(params: Static<typeof eitherParams>): void {
  const { query, format, groupIncludedByType, include } = params;
  const mixed = Object.entries({ query, format, groupIncludedByType, include: include[0] });
  const given = mixed.filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const message = 'cannot be combined with items, data or signals, which ask for the flat form';
  throw invalidParams(Object.fromEntries(given.map(([param]) => [param, [message]])));
}

interface RelationalParams extends FormatParams {
  query?: Static<typeof resourceQuerySchema>;
  include: readonly string[];
}

async function selectRelational({ signals, limits }: Domain, version: Version, params: RelationalParams) {
  refuseInclude(params.include);
  const rules = queryRules('items', 20, limits.selectLimitMax, limits);
  const { records, total } = await signals.selectItems(parseResourceQuery(params.query, 'query', rules));
  return selection({
    version,
    format: readFormat(params, selectFormat),
    total,
    data: records.map(itemResource),
    included: null,
  });
}
