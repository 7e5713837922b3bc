/** console.sizes and console.plans.list: disk usage with a forecast, and the limits of plans (I32, I33). */
import Type from 'typebox';
import { type Plan, printRate } from '#model/plan';
import type { Method } from '#protocol/method';
import { closed, nullable, strict, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { idParam } from './console-schemas.ts';
import { defineView } from './define-console.ts';

const size = {
  points: Type.Integer(),
  bytes: Type.Integer({ description: 'Bytes on disk; estimated as 16 per point for recent ones.' }),
};

const forecastSchema = titled('Forecast', {
  bytesPerDay: Type.Number({ description: 'Median daily growth of the store in the last seven days.' }),
  freeBytes: Type.Integer({ description: 'Free bytes of the disk.' }),
  daysLeft: nullable(Type.Number(), {
    description:
      'Days until the disk is full; null: the store does not grow, or retention frees enough space.',
  }),
  keptBytes: nullable(Type.Number(), {
    description: 'Expected size when the rule for all signals takes effect; null: it keeps everything.',
  }),
});

const sizesSchema = titled('StoreSizes', {
  ageS: Type.Number({ description: 'Age of the figures, at most five minutes.' }),
  total: Type.Object(size, strict),
  integrations: Type.Array(closed({ integration: idParam('integration'), ...size }), {
    description: 'Largest first; integrations without signals are left out.',
  }),
  largest: Type.Array(
    closed({
      id: idParam('signal'),
      integration: idParam('integration'),
      input: Type.String(),
      name: Type.String(),
      ...size,
    }),
    { description: 'The twenty largest signals.' },
  ),
  forecast: nullable(forecastSchema, { description: 'Null: not enough data yet.' }),
});

const maxSchema = nullable(Type.Integer(), { description: 'Null: unlimited.' });

const planSchema = titled('Plan', {
  name: Type.String(),
  signalsMax: maxSchema,
  itemsMax: maxSchema,
  pointsPerDayMax: maxSchema,
  rates: Type.Record(Type.String(), Type.String(), {
    description: 'Method to rate, such as 10/s,burst=50.',
  }),
  integrations: Type.Integer({ description: 'Number of integrations with this plan.' }),
  isHard: Type.Boolean({
    description: 'Whether calls above a limit are rejected; otherwise they are metered.',
  }),
});

type Services = Pick<MethodServices, 'sizes' | 'overview' | 'plans' | 'host'>;

/** The definitions. */
export function consoleSizes(services: Services): Method[] {
  return [
    defineView({
      name: 'console.sizes',
      summary: 'Returns the disk usage of integrations and of the largest signals, and a forecast.',
      load: 'read',
      result: sizesSchema,
      async run() {
        const { sizes, overview, host } = services;
        const { largest, ...all } = await sizes.ofAll();
        const [storeBytes, freeBytes] = await Promise.all([host.storeBytes(), host.diskFreeBytes()]);
        const { points } = all.total;
        return {
          ...all,
          largest: largest.map(({ signal, points, bytes }) => {
            const { id, integration, input, attributes } = signal;
            return { id, integration, input, name: attributes.name, points, bytes };
          }),
          forecast: freeBytes === null ? null : await overview.forecast({ storeBytes, points, freeBytes }),
        };
      },
    }),
    defineView({
      name: 'console.plans.list',
      summary: 'Lists the plans, by name.',
      result: closed({ plans: Type.Array(planSchema) }),
      run: async () => ({ plans: (await services.plans.list()).map(viewPlan) }),
    }),
  ];
}

function viewPlan({ rates, ...plan }: Plan) {
  return {
    ...plan,
    rates: Object.fromEntries([...rates].map(([method, rate]) => [method, printRate(rate)])),
  };
}
