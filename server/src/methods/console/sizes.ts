/** console.sizes and console.plans.list: disk usage with a forecast, and the limits of plans (I32, I33). */
import Type from 'typebox';
import type { Overview } from '#domain/overview/overview';
import type { Sizes } from '#domain/overview/sizes';
import type { Plans } from '#domain/plans/plans';
import { type Plan, printRate } from '#model/plan';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';
import type { Host } from './host.ts';

const size = {
  points: Type.Integer(),
  bytes: Type.Integer({ description: 'On disk; estimated, with 16 a point, for those of the last moments.' }),
};

const forecastSchema = Type.Object(
  {
    bytesPerDay: Type.Number({ description: 'What the store grows on a usual one of the last seven days.' }),
    freeBytes: Type.Integer({ description: 'Of the disk.' }),
    daysLeft: Type.Union([Type.Number(), Type.Null()], {
      description: 'Until the disk is full; null: it does not grow, or retention gives back in time.',
    }),
    keptBytes: Type.Union([Type.Number(), Type.Null()], {
      description: 'What all that the rule for all signals keeps will take; null: it keeps everything.',
    }),
  },
  { ...strict, title: 'Forecast' },
);

const sizesSchema = Type.Object(
  {
    ageS: Type.Number({ description: 'For how long the sizes have been known; five minutes at most.' }),
    total: Type.Object(size, strict),
    integrations: Type.Array(Type.Object({ integration: idParam('integration'), ...size }, strict), {
      description: 'The largest first; those without signals are left out.',
    }),
    largest: Type.Array(
      Type.Object(
        {
          id: idParam('signal'),
          integration: idParam('integration'),
          input: Type.String(),
          name: Type.String(),
          ...size,
        },
        strict,
      ),
      { description: 'The twenty largest signals.' },
    ),
    forecast: Type.Union([forecastSchema, Type.Null()], { description: 'Null: it is too early to tell.' }),
  },
  { ...strict, title: 'StoreSizes' },
);

const maxSchema = Type.Union([Type.Integer(), Type.Null()], { description: 'Null: without limit.' });

const planSchema = Type.Object(
  {
    name: Type.String(),
    signalsMax: maxSchema,
    itemsMax: maxSchema,
    pointsPerDayMax: maxSchema,
    rates: Type.Record(Type.String(), Type.String(), {
      description: 'Method to rate, such as 10/s,burst=50.',
    }),
    integrations: Type.Integer({ description: 'Those that are on it.' }),
    isHard: Type.Boolean({ description: 'Whether what is above a limit is refused; else it is metered.' }),
  },
  { ...strict, title: 'Plan' },
);

interface Services {
  sizes: Sizes;
  overview: Overview;
  plans: Plans;
  host: Host;
}

/** The definitions. */
export function consoleSizes(services: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.sizes',
      summary:
        'Says how much room integrations and the largest signals take, and how long the disk will last.',
      load: 'read',
      params: Type.Object({}),
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
    defineConsole({
      role: 'viewer',
      name: 'console.plans.list',
      summary: 'Lists the plans, by name.',
      params: Type.Object({}),
      result: Type.Object({ plans: Type.Array(planSchema) }, strict),
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
