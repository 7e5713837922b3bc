/** admin.connectSignals: lets the selected signals of an integration feed an item (R11). */
import Type from 'typebox';
import type { Identity } from '#domain/identity/identity';
import type { Signals } from '#domain/signals/signals';
import type { Limits } from '#model/limits';
import { defineMethod, type Method } from '#protocol/method';
import { actOf } from '../act.ts';
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

interface Services {
  signals: Signals;
  identity: Identity;
  limits: Limits;
}

/** The definitions of admin.connectSignals. */
export function connectSignals({ signals, identity, limits }: Services): Method[] {
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
      const query = await readSignalQuery({ identity, limits }, params);
      return answerRelated(signals, params, () =>
        signals.connect(actOf(call), integration, query, item, { dryRun }),
      );
    },
  });
  return [method];
}
