/** admin.deleteData: deletes points of the selected signals of an integration (R15). */
import Type, { type Static } from 'typebox';
import type { OpenWindow } from '#domain/deletion/open-window';
import { parseBound } from '#model/instant';
import type { ProblemList } from '#model/problem-list';
import { defineMethod, type Method } from '#protocol/method';
import { closed, strict, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import { parseTime, timesSchema } from '../data-query.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { parseResourceQuery, resourceQuerySchema } from '../resource-query.ts';
import type { MethodServices } from '../services.ts';
import { dryRunSchema, signalRules } from '../signal-selection.ts';

const dataSchema = Type.Object(
  { filter: closed({ times: timesSchema }) },
  { ...strict, description: 'The points: at least one bound of times.' },
);

const params = Type.Object({
  integration: integrationSchema,
  query: Type.Optional(resourceQuerySchema),
  data: dataSchema,
  dryRun: dryRunSchema,
});

const result = titled('DeletedPoints', {
  pointsBySignal: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Points that were deleted, or would be, by signal ID.',
  }),
});

type Services = Pick<MethodServices, 'deletion' | 'identity' | 'limits'>;

/** The definitions of admin.deleteData. */
export function deleteData({ deletion, identity, limits }: Services): Method[] {
  const method = defineMethod({
    name: 'admin.deleteData',
    synonyms: ['admin.data.delete'],
    versions: ['1.2'],
    grant: 'admin',
    checksFirst: true,
    summary: 'Deletes points of signals.',
    params,
    result,
    async run(call, { integration, data, dryRun, query }, problems) {
      const selected = problems.attempt(() => parseResourceQuery(query, 'query', signalRules(limits)));
      const times = parseTimes(data.filter.times, problems);
      problems.attempt(() => requireKnown(identity, integration));
      if (selected === undefined || !problems.isEmpty) throw problems.toError();
      const request = { integration, query: selected, times };
      const points = await deletion.deletePoints(actOf(call), request, { dryRun, signal: call.signal });
      return { pointsBySignal: Object.fromEntries(points) };
    },
  });
  return [method];
}

const timesPath = 'data.filter.times';

/** Who wants all points gone has to say so with a bound. */
function parseTimes({ $gte, $lt }: Static<typeof timesSchema>, problems: ProblemList): OpenWindow {
  const times = {
    fromUs: parseTime($gte, `${timesPath}.$gte`, problems, parseBound),
    beforeUs: parseTime($lt, `${timesPath}.$lt`, problems, parseBound),
  };
  const { fromUs, beforeUs } = times;
  const isKnown = !problems.has(`${timesPath}.$gte`) && !problems.has(`${timesPath}.$lt`);
  if (isKnown && fromUs === null && beforeUs === null)
    problems.add([timesPath], 'must have $gte or $lt, so that not everything is deleted by mistake');
  if (isKnown && fromUs !== null && beforeUs !== null && fromUs > beforeUs)
    problems.add([timesPath], '$gte must not be after $lt');
  return times;
}
