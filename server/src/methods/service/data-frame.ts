/** service.dataFrame: the points of items, raw or rolled up (Q1-Q8, Q13). */
import Type from 'typebox';
import type { Query } from '#domain/query/query';
import type { Signals } from '#domain/signals/signals';
import type { Limits } from '#model/limits';
import { readTogether } from '#model/problem-list';
import { defineMethod, type Method } from '#protocol/method';
import type { Version } from '#protocol/version';
import { dataPaths, dataQuerySchema, parseDataQuery } from '../data-query.ts';
import { readPlanned } from '../read-plan.ts';
import { parseResourceQuery, queryRules, resourceQuerySchema } from '../resource-query.ts';
import {
  frameFormat,
  frameSelectionSchema,
  readFormat,
  readInclude,
  selection,
  wrappingSchemas,
} from '../selection.ts';

const readParams = { query: Type.Optional(resourceQuerySchema), data: Type.Optional(dataQuerySchema) };
const betaParams = Type.Object({ ...readParams, ...wrappingSchemas.beta });
const formatParams = Type.Object({ ...readParams, ...wrappingSchemas.format });

interface Services {
  signals: Signals;
  query: Query;
  limits: Limits;
}

/** The definitions of service.dataFrame. */
export function dataFrame(services: Services): Method[] {
  return [
    define(services, '1.1beta2', betaParams),
    define(services, '1.1', formatParams),
    define(services, '1.2', formatParams),
  ];
}

function define(
  { signals, query, limits }: Services,
  version: Version,
  params: typeof betaParams | typeof formatParams,
): Method {
  return defineMethod({
    name: 'service.dataFrame',
    versions: [version],
    grant: 'service',
    load: 'read',
    role: 'viewer',
    summary: 'Reads the data of items, raw or rolled up.',
    params,
    result: frameSelectionSchema(version),
    async run(call, params) {
      const rules = queryRules('items', 10, limits.itemsLimitMax, limits);
      const [wantsItems, itemQuery, data] = readTogether(
        () => readInclude(params.include),
        () => parseResourceQuery(params.query, 'query', rules),
        () => parseDataQuery(params.data),
      );
      const { records: items, total } = await signals.selectItems(itemQuery, call.signal);
      const frame = await readPlanned(
        call,
        { items: items.length, groups: 0, calculations: 0 },
        data,
        (tell) => query.dataFrame({ items, data, paths: dataPaths }, call.signal, tell, call.memory),
        (frame) => frame,
      );
      return selection({
        version,
        format: readFormat(params, frameFormat),
        total,
        data: frame,
        included: wantsItems ? items : null,
      });
    },
  });
}
