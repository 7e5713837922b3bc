/** integration.saveSignals: creates and updates the caller's own signals (R8). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { type Version, versionsBetween } from '#protocol/version';
import { integrationSchema, requireOwn } from '../integration-param.ts';
import { parseSignalSaves, signalSaveSchema, withSpelling } from '../save-view.ts';
import type { MethodServices } from '../services.ts';
import { printSaved, savedSchema } from '../summary.ts';

function paramsOf(version: Version) {
  return Type.Object({
    integration: integrationSchema,
    signalsByInput: Type.Record(Type.String(), signalSaveSchema(version), {
      description: 'Input key to signal; also accepted as "input" and "inputs".',
    }),
    createOnly: Type.Boolean({ default: false, description: 'Leave existing signals as they are.' }),
  });
}

type Services = Pick<MethodServices, 'signals' | 'limits'>;

/** The definitions of integration.saveSignals: its summaries and its strictness grew over the versions. */
export function saveSignals({ signals, limits }: Services): Method[] {
  const define = (versions: readonly Version[], synonyms: readonly string[] = []) =>
    defineMethod({
      name: 'integration.saveSignals',
      synonyms,
      versions,
      grant: 'integration',
      checksFirst: true,
      summary: 'Creates or updates signals by input key.',
      params: paramsOf(versions[0]),
      paramSynonyms: { input: 'signalsByInput', inputs: 'signalsByInput' },
      result: savedSchema('signalsByInput', versions[0]),
      async run(call, { integration, signalsByInput, createOnly }, problems) {
        if (!problems.has('integration')) requireOwn(call, integration);
        const { signalsPerCallMax } = limits;
        const changes = await parseSignalSaves(signalsByInput, 'signalsByInput', {
          signalsMax: signalsPerCallMax,
          problems,
          runner: call.ticket,
        });
        const saved = await withSpelling(signalsByInput, 'signalsByInput', () =>
          signals.save(integration, changes, { createOnly, problems, runner: call.ticket }),
        );
        return { signalsByInput: printSaved(saved, call.version) };
      },
    });
  return [
    define(versionsBetween('1.0', '1.1beta1')),
    define(['1.1beta2']),
    define(['1.1']),
    define(['1.2'], ['integration.signals.save']),
  ];
}
