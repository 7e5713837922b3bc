/** console.overview, .usage, .audit.list, .health and .config: the state of the service. */
import Type, { type TNull, type TUnion } from 'typebox';
import type { Overview, ServiceFigures } from '#domain/overview/overview';
import type { Usage } from '#domain/usage/usage';
import { limitTable } from '#model/limits';
import { printDay, type Tally, tallied, type UsageRow } from '#model/usage';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { durationSchema, loads } from './activity.ts';
import { idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';
import type { CallWatch, Host, Queues } from './host.ts';

const tallySchemas = Object.fromEntries(tallied.map((name) => [name, Type.Integer({ minimum: 0 })]));
const daySchema = Type.String({ description: 'A UTC day, such as 2026-03-01.' });

const queuesSchema = Type.Object(
  {
    requests: Type.Integer({ description: 'Calls under way, those included whose body still comes in.' }),
    running: Type.Integer({ description: 'Calls that run, inserts apart.' }),
    waiting: Type.Integer({ description: 'Calls that wait for their turn.' }),
    queueBytes: Type.Integer({ description: 'Batches that wait for the disk.' }),
    logBytes: Type.Integer({ description: 'Points that are stored, but not in blocks yet.' }),
    sealLagS: Type.Number({ description: 'For how long there has been something to put into blocks.' }),
  },
  strict,
);

/** Durations of calls of each kind of load; null: there were none. */
const durationsSchema = Type.Object(
  Object.fromEntries(loads.map((load) => [load, Type.Union([durationSchema, Type.Null()])])) as Record<
    (typeof loads)[number],
    TUnion<[typeof durationSchema, TNull]>
  >,
  { ...strict, description: 'How long the last calls that insert, read and change took.' },
);

const overviewSchema = Type.Object(
  {
    version: Type.String({ description: 'Of the program.' }),
    uptimeS: Type.Number(),
    memoryBytes: Type.Integer({ description: 'Resident memory of the process.' }),
    integrations: Type.Integer(),
    store: Type.Object(
      {
        bytes: Type.Integer({ description: 'All files of the store together.' }),
        signals: Type.Integer(),
        items: Type.Integer(),
      },
      strict,
    ),
    points: Type.Object(
      {
        today: Type.Integer({ description: 'Values accepted today (UTC).' }),
        days: Type.Array(Type.Object({ day: daySchema, points: Type.Integer() }, strict), {
          description: 'The last seven days, oldest first.',
        }),
      },
      strict,
    ),
    requestsToday: Type.Integer(),
    rejectedToday: Type.Integer({ description: 'Calls that a limit of a plan refused.' }),
    pointsPerS: Type.Number({ description: 'Values accepted a second, over the last minute.' }),
    queues: queuesSchema,
    durations: durationsSchema,
  },
  { ...strict, title: 'Overview' },
);

const usageSchema = Type.Object(
  { day: daySchema, integration: idParam('integration; it may be gone'), ...tallySchemas },
  { ...strict, title: 'UsageRow' },
);

const configSchema = Type.Object(
  {
    name: Type.String(),
    value: Type.Unknown(),
    default: Type.Unknown(),
    origin: Type.String({ description: '"flag", "environment", "file" or "default".' }),
    reason: Type.String(),
  },
  { ...strict, title: 'ConfigRow' },
);

interface Services {
  overview: Overview;
  usage: Usage;
  host: Host;
  calls: CallWatch;
}

/** The definitions. */
export function consoleOperations(services: Services): Method[] {
  return [overviewMethod(services), usageMethod(services), healthMethod(services), configMethod(services)];
}

function overviewMethod(services: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.overview',
    summary: 'Gives the service in figures.',
    params: Type.Object({}),
    result: overviewSchema,
    async run() {
      const { overview, host } = services;
      const [figures, storeBytes, queues] = await Promise.all([
        overview.service(),
        host.storeBytes(),
        host.queues(),
      ]);
      return { ...viewOverview(figures, storeBytes, services), queues: viewQueues(queues) };
    },
  });
}

function usageMethod(services: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.usage',
    summary: 'Gives what integrations did on each day, oldest first.',
    params: Type.Object({
      integration: Type.Optional(idParam('integration; default all')),
      days: Type.Integer({
        default: 30,
        minimum: 1,
        maximum: limitTable.usageDaysMax.max,
        description: 'How many UTC days, today among them.',
      }),
    }),
    result: Type.Object({ rows: Type.Array(usageSchema) }, strict),
    async run(_call, { integration, days }) {
      const rows = await services.usage.list(integration ?? null, days);
      return { rows: rows.map(viewUsage) };
    },
  });
}

function healthMethod(services: Services): Method {
  const checkSchema = Type.Object(
    { name: Type.String(), problem: Type.Union([Type.String(), Type.Null()]) },
    strict,
  );
  return defineConsole({
    role: 'viewer',
    name: 'console.health',
    summary: 'Says of each part of the service what is wrong with it, if anything.',
    params: Type.Object({}),
    result: Type.Object({ checks: Type.Array(checkSchema) }, strict),
    run: async () => ({ checks: await services.host.checks() }),
  });
}

function configMethod(services: Services): Method {
  return defineConsole({
    name: 'console.config',
    summary: 'Gives every setting and limit, with its default and where it comes from; no secrets.',
    params: Type.Object({}),
    result: Type.Object({ rows: Type.Array(configSchema) }, strict),
    run: async () => ({ rows: services.host.config() }),
  });
}

function viewOverview(figures: ServiceFigures, bytes: number, { host, calls }: Services) {
  const { integrations, signals, items, today, days, pointsPerS } = figures;
  return {
    version: host.version,
    uptimeS: host.uptimeS(),
    memoryBytes: host.memoryBytes(),
    integrations,
    store: { bytes, signals, items },
    points: {
      today: today.points,
      days: days.map(({ day, tally }) => ({ day: printDay(day), points: tally.points })),
    },
    requestsToday: today.requests,
    rejectedToday: today.rejected,
    pointsPerS,
    durations: Object.fromEntries(loads.map((load) => [load, calls.durations(load)])),
  };
}

function viewQueues({ lanes, ...queues }: Queues) {
  const sum = (count: (lane: Queues['lanes'][number]) => number) =>
    lanes.reduce((total, lane) => total + count(lane), 0);
  return {
    ...queues,
    running: sum(({ runningCount }) => runningCount),
    waiting: sum(({ waitingCount }) => waitingCount),
  };
}

function viewUsage({ day, integration, tally }: UsageRow): { day: string; integration: string } & Tally {
  return { day: printDay(day), integration, ...tally };
}
