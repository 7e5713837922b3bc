/** admin.publishSignals: creates and updates the items of signals (R10). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import type { Version } from '#protocol/version';
import { actOf } from '../act.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { itemSaveSchema, parseItemSaves, withSpelling } from '../save-view.ts';
import type { MethodServices } from '../services.ts';
import { printSaved, savedSchema } from '../summary.ts';

function paramsOf(version: Version) {
  return Type.Object({
    integration: integrationSchema,
    itemsBySignal: Type.Record(Type.String(), itemSaveSchema(version), { description: 'Signal ID to item.' }),
    createOnly: Type.Boolean({ default: false, description: 'Leave existing items as they are.' }),
  });
}

type Services = Pick<MethodServices, 'signals' | 'identity' | 'limits'>;

/** The definitions of admin.publishSignals. */
export function publishSignals({ signals, identity, limits }: Services): Method[] {
  const define = (version: Version, synonyms: readonly string[] = []) =>
    defineMethod({
      name: 'admin.publishSignals',
      synonyms,
      versions: [version],
      grant: 'admin',
      checksFirst: true,
      summary: 'Creates or updates the items of signals.',
      params: paramsOf(version),
      result: savedSchema('itemsBySignal', version),
      async run(call, { integration, itemsBySignal, createOnly }, problems) {
        problems.attempt(() => requireKnown(identity, integration));
        const required = version === '1.1beta1' ? (['name', 'type', 'sourceType'] as const) : [];
        const { signalsPerCallMax } = limits;
        const changes = await parseItemSaves(itemsBySignal, 'itemsBySignal', required, {
          signalsMax: signalsPerCallMax,
          problems,
          runner: call.ticket,
        });
        const options = { createOnly, problems, runner: call.ticket };
        const saved = await withSpelling(itemsBySignal, 'itemsBySignal', () =>
          signals.publish(actOf(call), integration, changes, options),
        );
        return { itemsBySignal: printSaved(saved, version) };
      },
    });
  return [define('1.1beta1'), define('1.1beta2'), define('1.1'), define('1.2', ['admin.signals.publish'])];
}
