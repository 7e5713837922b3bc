/** service.evaluate: aggregates items and groups into buckets, and computes formulas over them (Q9-Q12, F1-F7). */
import Type, { type Static } from 'typebox';
import type { ProblemList } from '#model/problem-list';
import { type Call, defineMethod, type Method } from '#protocol/method';
import { dataPaths, dataQuerySchema, parseDataQuery } from '../data-query.ts';
import { calculationsSchema, groupsSchema, itemsSchema, parseGroups, parseItems } from '../evaluation.ts';
import { readOptions } from '../read-plan.ts';
import {
  frameFormat,
  frameSelection,
  frameSelectionSchema,
  readFormat,
  readInclude,
  wrappingSchemas,
} from '../selection.ts';
import type { MethodServices } from '../services.ts';

const commonParams = {
  calculations: calculationsSchema,
  data: Type.Optional(dataQuerySchema),
  ...wrappingSchemas.format,
};

const itemParams = Type.Object({ items: itemsSchema, ...commonParams });
const groupParams = Type.Object({ items: itemsSchema, groups: groupsSchema, ...commonParams });

const definition = {
  name: 'service.evaluate',
  grant: 'service',
  load: 'read',
  role: 'viewer',
  checksFirst: true,
} as const;

type Services = Pick<MethodServices, 'query' | 'limits'>;

/** The definitions of service.evaluate: 1.2 adds groups. */
export function evaluate(services: Services): Method[] {
  return [
    defineMethod({
      ...definition,
      versions: ['1.1'],
      summary: 'Aggregates items over time and evaluates formulas.',
      params: itemParams,
      result: frameSelectionSchema('1.1'),
      run: (call, params, problems) => answer(services, call, { ...params, groups: [] }, problems),
    }),
    defineMethod({
      ...definition,
      versions: ['1.2'],
      summary: 'Aggregates items and groups of items over time and evaluates formulas.',
      params: groupParams,
      result: frameSelectionSchema('1.2'),
      run: (call, params, problems) => answer(services, call, params, problems),
    }),
  ];
}

async function answer(
  services: Services,
  call: Call,
  params: Static<typeof groupParams>,
  problems: ProblemList,
) {
  const { version } = call;
  const wantsItems = problems.attempt(() => readInclude(params.include));
  const data = parseDataQuery(params.data, problems, version === '1.2' ? 'window' : null);
  const items = parseItems(params.items, version, problems);
  const groups = parseGroups(params.groups, services.limits, problems);
  const { calculations } = params;
  const counts = { items: items.length, groups: groups.length, calculations: calculations.length };
  const options = readOptions(call, counts, data, problems);
  const request = { items, groups, calculations, data, paths: dataPaths };
  const evaluation = await services.query.evaluate(request, options);
  return frameSelection(call, {
    version,
    format: readFormat(params, frameFormat),
    total: evaluation.frame.series.size,
    data: evaluation.frame,
    included: wantsItems ? evaluation.items : null,
  });
}
