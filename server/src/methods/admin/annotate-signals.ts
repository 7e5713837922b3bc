/** admin.annotateSignals: merges annotations into signals of an integration (R11). */
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { closed } from '#protocol/schema';
import { actOf } from '../act.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { idSchema } from '../resource-view.ts';
import { readInclude, wrappingSchemas } from '../selection.ts';
import type { MethodServices } from '../services.ts';
import { answerSignals, dryRunSchema, signalSelectionSchema } from '../signal-selection.ts';

const annotationSchema = closed({
  id: idSchema,
  annotations: Type.Record(Type.String(), Type.String(), {
    default: {},
    description: 'Merged into the stored ones; "" removes one.',
  }),
});

type Services = Pick<MethodServices, 'signals' | 'identity' | 'limits'>;

/** The definitions of admin.annotateSignals. */
export function annotateSignals({ signals, identity, limits }: Services): Method[] {
  const method = defineMethod({
    name: 'admin.annotateSignals',
    synonyms: ['admin.signals.annotate'],
    versions: ['1.2'],
    grant: 'admin',
    checksFirst: true,
    summary: 'Changes the annotations of signals.',
    params: Type.Object({
      integration: integrationSchema,
      data: Type.Array(annotationSchema),
      ...wrappingSchemas.format,
      dryRun: dryRunSchema,
    }),
    result: signalSelectionSchema('1.2'),
    async run(call, params, problems) {
      const { integration, data, dryRun } = params;
      const max = limits.selectLimitMax;
      if (data.length > max) problems.add(['data'], `must have at most ${max} entries, got ${data.length}`);
      problems.attempt(() => readInclude(params.include));
      problems.attempt(() => requireKnown(identity, integration));
      problems.throwIfAny();
      const changes = data.map(({ id, annotations }) => ({
        id,
        annotations: new Map(Object.entries(annotations)),
      }));
      return answerSignals(signals, '1.2', params, () =>
        signals.annotate(actOf(call), integration, changes, { dryRun }),
      );
    },
  });
  return [method];
}
