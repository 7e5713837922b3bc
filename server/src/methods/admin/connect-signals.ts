/** admin.connectSignals: lets the selected signals of an integration feed an item (R11). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { actOf } from '../act.ts';
import type { Domain } from '../domain.ts';
import { integrationSchema } from '../integration-param.ts';
import { resourceQuerySchema } from '../resource-query.ts';
import { idSchema } from '../resource-view.ts';
import { wrappingSchemas } from '../selection.ts';
import { answerRelated, dryRunSchema, readSignalQuery, signalSelectionSchema } from '../signal-selection.ts';

const params = Type.Object({
  integration: integrationSchema,
  query: Type.Optional(resourceQuerySchema),
  item: idSchema,
  ...wrappingSchemas.format,
  dryRun: dryRunSchema,
});

/** The definitions of admin.connectSignals. */
export function connectSignals({ signals, integrations, limits }: Domain): Method[] {
  const method = defineMethod({
    name: 'admin.connectSignals',
    synonyms: ['admin.signals.connect'],
    versions: ['1.2'],
    grant: 'admin',
    summary: 'Connects signals to an item.',
    params,
    result: signalSelectionSchema('1.2'),
    async run(call, params) {
      const { integration, item, dryRun } = params;
      const query = await readSignalQuery({ integrations, limits }, params);
      return answerRelated(signals, params, () =>
        signals.connect(actOf(call), integration, query, item, { dryRun }),
      );
    },
  });
  return [method];
}
