/** service.dataFrame: the points of items, raw or rolled up (Q1-Q8, Q13). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import type { Version } from '#protocol/version';
import { dataPaths, dataQuerySchema, parseDataQuery } from '../data-query.ts';
import { readOptions } from '../read-plan.ts';
import { parseResourceQuery, queryRules, resourceQuerySchema, unreadQuery } from '../resource-query.ts';
import {
  frameFormat,
  frameSelection,
  frameSelectionSchema,
  readFormat,
  readInclude,
  wrappingSchemas,
} from '../selection.ts';
import type { MethodServices } from '../services.ts';

const readParams = { query: Type.Optional(resourceQuerySchema), data: Type.Optional(dataQuerySchema) };
const betaParams = Type.Object({ ...readParams, ...wrappingSchemas.beta });
const formatParams = Type.Object({ ...readParams, ...wrappingSchemas.format });

type Services = Pick<MethodServices, 'query' | 'limits'>;

/** The definitions of service.dataFrame. */
export function dataFrame(services: Services): Method[] {
  return [
    define(services, '1.1beta2', betaParams),
    define(services, '1.1', formatParams),
    define(services, '1.2', formatParams),
  ];
}

function define(
  { query, limits }: Services,
  version: Version,
  params: typeof betaParams | typeof formatParams,
): Method {
  return defineMethod({
    name: 'service.dataFrame',
    versions: [version],
    grant: 'service',
    load: 'read',
    role: 'viewer',
    checksFirst: true,
    summary: 'Reads the data of items, raw or rolled up.',
    params,
    result: frameSelectionSchema(version),
    async run(call, params, problems) {
      const rules = queryRules('items', 10, limits.itemsLimitMax, limits);
      const wantsItems = problems.attempt(() => readInclude(params.include));
      const items = problems.attempt(() => parseResourceQuery(params.query, 'query', rules)) ?? unreadQuery;
      const data = parseDataQuery(params.data, problems);
      const counts = { items: 0, groups: 0, calculations: 0 };
      const options = readOptions(call, counts, data, problems);
      const answer = await query.dataFrame({ query: items, data, paths: dataPaths }, options);
      return frameSelection(call, {
        version,
        format: readFormat(params, frameFormat),
        total: answer.total,
        data: answer.frame,
        included: wantsItems ? answer.items : null,
      });
    },
  });
}
