/** admin.disconnectSignals: lets the selected signals of an integration feed no item (R11). */
import Type from 'typebox';
import type { Identity } from '#domain/identity/identity';
import type { Signals } from '#domain/signals/signals';
import type { Limits } from '#model/limits';
import { defineMethod, type Method } from '#protocol/method';
import { actOf } from '../act.ts';
import { integrationSchema } from '../integration-param.ts';
import { resourceQuerySchema } from '../resource-query.ts';
import { wrappingSchemas } from '../selection.ts';
import { answerRelated, dryRunSchema, readSignalQuery, signalSelectionSchema } from '../signal-selection.ts';

const params = Type.Object({
  integration: integrationSchema,
  query: Type.Optional(resourceQuerySchema),
  ...wrappingSchemas.format,
  dryRun: dryRunSchema,
});

interface Services {
  signals: Signals;
  identity: Identity;
  limits: Limits;
}

/** The definitions of admin.disconnectSignals. */
export function disconnectSignals({ signals, identity, limits }: Services): Method[] {
  const method = defineMethod({
    name: 'admin.disconnectSignals',
    synonyms: ['admin.signals.disconnect'],
    versions: ['1.2'],
    grant: 'admin',
    summary: 'Disconnects signals from their items.',
    params,
    result: signalSelectionSchema('1.2'),
    async run(call, params) {
      const { integration, dryRun } = params;
      const query = await readSignalQuery({ identity, limits }, params);
      return answerRelated(signals, params, () =>
        signals.disconnect(actOf(call), integration, query, { dryRun }),
      );
    },
  });
  return [method];
}
