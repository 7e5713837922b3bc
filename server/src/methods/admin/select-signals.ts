/** admin.selectSignals: the signals of an integration, with their items (R12, R13). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { closed } from '#protocol/schema';
import type { Version } from '#protocol/version';
import { flatItem, flatItemSchema, flatMap, flatSignal, flatSignalSchema } from '../flat-view.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { flatQuerySchema, parseResourceQuery, queryRules, resourceQuerySchema } from '../resource-query.ts';
import { wrappingSchemas } from '../selection.ts';
import type { MethodServices } from '../services.ts';
import { answerSignals, itemsOf, readSignalQuery, signalSelectionSchema } from '../signal-selection.ts';

const selectParams = { integration: integrationSchema, query: Type.Optional(resourceQuerySchema) };
const betaParams = Type.Object({ ...selectParams, ...wrappingSchemas.beta });
const formatParams = Type.Object({ ...selectParams, ...wrappingSchemas.format });

type Services = Pick<MethodServices, 'signals' | 'identity' | 'limits'>;

/** The definitions of admin.selectSignals: flat in 1.1beta1, relational since. */
export function selectSignals(services: Services): Method[] {
  return [
    selectFlat(services),
    selectRelational(services, '1.1beta2', betaParams),
    selectRelational(services, '1.1', formatParams),
    selectRelational(services, '1.2', formatParams, ['admin.signals.select']),
  ];
}

function selectRelational(
  { signals, identity, limits }: Services,
  version: Version,
  params: typeof betaParams | typeof formatParams,
  synonyms: readonly string[] = [],
): Method {
  return defineMethod({
    name: 'admin.selectSignals',
    synonyms,
    versions: [version],
    grant: 'admin',
    role: 'viewer',
    checksFirst: true,
    summary: 'Selects signals of an integration, with their items.',
    params,
    refusedParams: ['signals', 'items'],
    result: signalSelectionSchema(version),
    async run(call, params, problems) {
      const { integration } = params;
      const query = readSignalQuery({ identity, limits }, params, problems);
      return answerSignals(signals, version, params, () =>
        signals.selectSignals(query, integration, () => call.signal),
      );
    },
  });
}

const flatItemsSchema = Type.Object({
  include: Type.Optional(Type.Boolean({ description: 'Whether the answer has the items of the signals.' })),
});

const flatResultSchema = closed({
  signals: Type.Optional(Type.Record(Type.String(), flatSignalSchema('type'))),
  items: Type.Optional(Type.Record(Type.String(), flatItemSchema('type'))),
});

function selectFlat({ signals, identity, limits }: Services): Method {
  return defineMethod({
    name: 'admin.selectSignals',
    versions: ['1.1beta1'],
    grant: 'admin',
    role: 'viewer',
    checksFirst: true,
    summary: 'Selects signals of an integration, with their items, as maps by ID.',
    params: Type.Object({
      integration: integrationSchema,
      signals: Type.Optional(flatQuerySchema),
      items: Type.Optional(flatItemsSchema),
    }),
    refusedParams: ['query', 'include', 'format'],
    result: flatResultSchema,
    async run(call, params, problems) {
      const rules = queryRules('signals', 10, limits.selectLimitMax, limits);
      const query = problems.attempt(() => parseResourceQuery(params.signals, 'signals', rules));
      problems.attempt(() => requireKnown(identity, params.integration));
      if (query === undefined || !problems.isEmpty) throw problems.toError();
      const { records } = await signals.selectSignals(query, params.integration, () => call.signal);
      return {
        ...(params.signals?.include ? { signals: flatMap(records, flatSignal, 'type') } : {}),
        ...(params.items?.include
          ? { items: flatMap(await itemsOf(signals, records), flatItem, 'type') }
          : {}),
      };
    },
  });
}
