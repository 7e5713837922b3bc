/** console.overview, .usage, .audit.list, .health and .config: the state of the service. */
import Type, { type TNull, type TUnion } from 'typebox';
import type { HostNode } from '#domain/overview/host';
import type { ServiceFigures } from '#domain/overview/overview';
import { limitTable } from '#model/limits';
import { printDay, type Tally, tallied, type UsageRow } from '#model/usage';
import type { Method } from '#protocol/method';
import { closed, nullable, strict, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { durationSchema, loads } from './activity.ts';
import { dateSchema, idParam, viewAs } from './console-schemas.ts';
import { defineConsole, defineView } from './define-console.ts';

const tallySchemas = Object.fromEntries(tallied.map((name) => [name, Type.Integer({ minimum: 0 })]));
const daySchema = Type.String({ description: 'A UTC day, such as 2026-03-01.' });

const queuesSchema = closed({
  requests: Type.Integer({
    description: 'Calls in progress, including those whose body is still being received.',
  }),
  running: Type.Integer({ description: 'Running calls except inserts.' }),
  waiting: Type.Integer({ description: 'Queued calls.' }),
  queueBytes: Type.Integer({ description: 'Bytes of batches that are queued for the disk.' }),
  logBytes: Type.Integer({ description: 'Bytes of points that are stored, but not in blocks yet.' }),
  sealLagS: Type.Number({ description: 'Age of the oldest points that are not in blocks yet.' }),
});

/** Durations of calls of each kind of load; null: there were none. */
const durationsSchema = Type.Object(
  Object.fromEntries(loads.map((load) => [load, nullable(durationSchema)])) as Record<
    (typeof loads)[number],
    TUnion<[typeof durationSchema, TNull]>
  >,
  { ...strict, description: 'Durations of recent calls, by kind.' },
);

const overviewSchema = titled('Overview', {
  version: Type.String({ description: 'Of the program.' }),
  uptimeS: Type.Number(),
  memoryBytes: Type.Integer({ description: 'Resident memory of the process.' }),
  integrations: Type.Integer(),
  store: closed({
    bytes: Type.Integer({ description: 'All files of the store together.' }),
    signals: Type.Integer(),
    items: Type.Integer(),
  }),
  points: closed({
    today: Type.Integer({ description: 'Values accepted today (UTC).' }),
    days: Type.Array(closed({ day: daySchema, points: Type.Integer() }), {
      description: 'The last seven days, oldest first.',
    }),
  }),
  requestsToday: Type.Integer(),
  rejectedToday: Type.Integer({ description: 'Calls rejected by a limit of a plan.' }),
  pointsPerS: Type.Number({ description: 'Values accepted per second, averaged over the last minute.' }),
  queues: queuesSchema,
  durations: durationsSchema,
});

const usageSchema = titled('UsageRow', {
  day: daySchema,
  integration: idParam('integration; it may have been deleted'),
  ...tallySchemas,
});

const checksSchema = Type.Array(closed({ name: Type.String(), problem: nullable(Type.String()) }));

const nodeSchema = titled('ServiceNode', {
  id: Type.String({ description: 'Name of the node; empty where there is only one.' }),
  version: Type.String({ description: 'Of the program.' }),
  startedAt: dateSchema,
  isThis: Type.Boolean({ description: 'Whether this node answers the call.' }),
  silentS: Type.Number({ description: 'Seconds since it last said that it is alive.' }),
  state: nullable(
    closed({
      delayMs: Type.Number({ description: 'How long its answer took.' }),
      checks: checksSchema,
      memoryBytes: Type.Integer({ description: 'Resident memory of the process.' }),
      threads: Type.Integer(),
      running: Type.Integer({ description: 'Running calls except inserts.' }),
      waiting: Type.Integer({ description: 'Queued calls.' }),
    }),
    { description: 'Null: the node did not answer.' },
  ),
});

const configSchema = titled('ConfigRow', {
  name: Type.String(),
  value: Type.Unknown(),
  default: Type.Unknown(),
  origin: Type.String({ description: '"flag", "environment", "file" or "default".' }),
  reason: Type.String(),
});

type Services = Pick<MethodServices, 'overview' | 'usage' | 'host' | 'calls'>;

/** The definitions. */
export function consoleOperations(services: Services): Method[] {
  const { overview, usage, host } = services;
  return [
    defineView({
      name: 'console.overview',
      summary: 'Returns the state of the service in figures.',
      result: overviewSchema,
      async run() {
        const [figures, storeBytes, queues, durations] = await Promise.all([
          overview.service(),
          host.storeBytes(),
          host.queues(),
          Promise.all(loads.map(async (load) => [load, await services.calls.durations(load)])),
        ]);
        return {
          ...viewOverview(figures, storeBytes, services),
          durations: Object.fromEntries(durations),
          queues,
        };
      },
    }),
    defineConsole({
      role: 'viewer',
      name: 'console.usage',
      summary: 'Returns the usage of integrations by day, oldest first.',
      params: Type.Object({
        integration: Type.Optional(idParam('integration; default all')),
        days: Type.Integer({
          default: 30,
          minimum: 1,
          maximum: limitTable.usageDaysMax.max,
          description: 'Number of UTC days, including today.',
        }),
      }),
      result: closed({ rows: Type.Array(usageSchema) }),
      async run(_call, { integration, days }) {
        const rows = await usage.list(integration ?? null, days);
        return { rows: rows.map(viewUsage) };
      },
    }),
    defineView({
      name: 'console.health',
      summary: 'Returns the health of each component of the service.',
      result: closed({ checks: checksSchema }),
      run: async () => ({ checks: await host.checks() }),
    }),
    nodesMethod(services),
    defineConsole({
      name: 'console.config',
      summary: 'Lists all settings and limits with their default and origin, without secrets.',
      params: Type.Object({}),
      result: closed({ rows: Type.Array(configSchema) }),
      run: async () => ({ rows: [...(await host.config())] }),
    }),
  ];
}

function nodesMethod({ host }: Services): Method {
  return defineView({
    name: 'console.nodes',
    summary: 'Returns the nodes of the service with their state, the oldest first.',
    result: closed({ nodes: Type.Array(nodeSchema) }),
    run: async () => ({ nodes: (await host.nodes()).map(viewNode) }),
  });
}

function viewNode(node: HostNode) {
  return viewAs(nodeSchema, { ...node, silentS: node.silentMs / 1000 });
}

function viewOverview(figures: ServiceFigures, bytes: number, { host }: Services) {
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
  };
}

function viewUsage({ day, integration, tally }: UsageRow): { day: string; integration: string } & Tally {
  return { day: printDay(day), integration, ...tally };
}
