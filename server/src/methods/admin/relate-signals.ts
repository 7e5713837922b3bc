/** admin.connectSignals and admin.disconnectSignals: let the selected signals of an integration feed an item, or none (R11). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { actOf } from '../act.ts';
import { integrationSchema } from '../integration-param.ts';
import { resourceQuerySchema } from '../resource-query.ts';
import { idSchema } from '../resource-view.ts';
import { wrappingSchemas } from '../selection.ts';
import type { MethodServices } from '../services.ts';
import { answerRelated, dryRunSchema, readSignalQuery, signalSelectionSchema } from '../signal-selection.ts';

type Services = Pick<MethodServices, 'signals' | 'identity' | 'limits'>;

const selected = { integration: integrationSchema, query: Type.Optional(resourceQuerySchema) };
const answered = { ...wrappingSchemas.format, dryRun: dryRunSchema };

/** The definitions. */
export function relateSignals(services: Services): Method[] {
  const { signals } = services;
  const common = {
    versions: ['1.2'],
    grant: 'admin',
    checksFirst: true,
    result: signalSelectionSchema('1.2'),
  } as const;
  return [
    defineMethod({
      ...common,
      name: 'admin.connectSignals',
      synonyms: ['admin.signals.connect'],
      summary: 'Connects signals to an item.',
      params: Type.Object({ ...selected, item: idSchema, ...answered }),
      async run(call, params, problems) {
        const { integration, item, dryRun } = params;
        const query = readSignalQuery(services, params, problems);
        const relate = () => signals.connect(actOf(call), integration, query, item, { dryRun });
        return answerRelated(signals, params, relate);
      },
    }),
    defineMethod({
      ...common,
      name: 'admin.disconnectSignals',
      synonyms: ['admin.signals.disconnect'],
      summary: 'Disconnects signals from their items.',
      params: Type.Object({ ...selected, ...answered }),
      async run(call, params, problems) {
        const { integration, dryRun } = params;
        const query = readSignalQuery(services, params, problems);
        const relate = () => signals.connect(actOf(call), integration, query, null, { dryRun });
        return answerRelated(signals, params, relate);
      },
    }),
  ];
}
