/** service.evaluate: aggregates items and groups into buckets, and computes formulas over them (Q9-Q12, F1-F7). */
import Type, { type Static } from 'typebox';
import type { Query } from '#domain/query/query';
import type { Limits } from '#model/limits';
import { readTogether } from '#model/problem-list';
import { type Call, defineMethod, type Method } from '#protocol/method';
import type { Version } from '#protocol/version';
import { dataPaths, dataQuerySchema, parseDataQuery } from '../data-query.ts';
import { calculationsSchema, groupsSchema, itemsSchema, parseGroups, parseItems } from '../evaluation.ts';
import { readPlanned } from '../read-plan.ts';
import {
  frameFormat,
  frameSelectionSchema,
  readFormat,
  readInclude,
  selection,
  wrappingSchemas,
} from '../selection.ts';

const name = 'service.evaluate';
const grant = 'service';

const commonParams = {
  calculations: calculationsSchema,
  data: Type.Optional(dataQuerySchema),
  ...wrappingSchemas.format,
};

const itemParams = Type.Object({ items: itemsSchema, ...commonParams });
const groupParams = Type.Object({ items: itemsSchema, groups: groupsSchema, ...commonParams });

interface Services {
  query: Query;
  limits: Limits;
}

/** The definitions of service.evaluate: 1.2 adds groups. */
export function evaluate(services: Services): Method[] {
  return [
    defineMethod({
      name,
      grant,
      load: 'read',
      role: 'viewer',
      versions: ['1.1'],
      summary: 'Aggregates items over time and evaluates formulas.',
      params: itemParams,
      result: frameSelectionSchema('1.1'),
      run: (call, params) => answer(services, '1.1', call, { ...params, groups: [] }),
    }),
    defineMethod({
      name,
      grant,
      load: 'read',
      role: 'viewer',
      versions: ['1.2'],
      summary: 'Aggregates items and groups of items over time and evaluates formulas.',
      params: groupParams,
      result: frameSelectionSchema('1.2'),
      run: (call, params) => answer(services, '1.2', call, params),
    }),
  ];
}

async function answer(services: Services, version: Version, call: Call, params: Static<typeof groupParams>) {
  const [wantsItems, data, items, groups] = readTogether(
    () => readInclude(params.include),
    () => parseDataQuery(params.data),
    () => parseItems(params.items, version),
    () => parseGroups(params.groups, services.limits),
  );
  if (version === '1.2') data.rollup ??= 'window';
  const request = { items, groups, calculations: params.calculations, data, paths: dataPaths };
  const evaluation = await readPlanned(
    call,
    {
      items: request.items.length,
      groups: request.groups.length,
      calculations: request.calculations.length,
    },
    data,
    (tell) => services.query.evaluate(request, call.signal, tell, call.memory),
    (answer) => answer.frame,
  );
  return selection({
    version,
    format: readFormat(params, frameFormat),
    total: evaluation.frame.series.size,
    data: evaluation.frame,
    included: wantsItems ? evaluation.items : null,
  });
}
