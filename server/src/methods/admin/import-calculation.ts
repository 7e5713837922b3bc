/** admin.importCalculation: a calculated item with its versions, as an export has described it (X8a). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { closed } from '#protocol/schema';
import { actOf } from '../act.ts';
import { historySchema, parseHistory } from '../calculation-view.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { idSchema } from '../resource-view.ts';
import type { MethodServices } from '../services.ts';

type Services = Pick<MethodServices, 'calculations' | 'identity'>;

/** The definitions of admin.importCalculation. */
export function importCalculation({ calculations, identity }: Services): Method[] {
  const method = defineMethod({
    name: 'admin.importCalculation',
    versions: ['1.2'],
    grant: 'admin',
    summary:
      'Creates a calculated item under its ID with its versions, or brings the one that is there up to date.',
    params: Type.Object({ integration: integrationSchema, id: idSchema, ...historySchema }),
    result: closed({
      id: idSchema,
      version: Type.Integer({ description: 'The version in use.' }),
      changed: Type.Boolean({ description: 'Whether anything was stored.' }),
    }),
    async run(call, { integration, id, ...view }) {
      requireKnown(identity, integration);
      const { item, isChanged } = await calculations.restore(actOf(call), id, parseHistory(view));
      return { id, version: item.calculation?.version ?? 0, changed: isChanged };
    },
  });
  return [method];
}
