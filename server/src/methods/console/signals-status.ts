/** console.signals.status, .sizes and console.items.status: the newest point of signals and items, and their sizes. */
import Type from 'typebox';
import type { LatestPoint } from '#domain/overview/reads';
import { printInstant } from '#model/instant-printer';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { idsParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Maximum number of signals of one call. */
const idsMax = 200;

const statusSchema = titled('SignalStatus', {
  lastTime: Type.String({ description: 'RFC 3339, UTC.' }),
  lastValue: Type.Number(),
});

const sizeSchema = titled('SignalSize', {
  points: Type.Integer({
    description: 'Number of points; recent points that were overwritten may be counted.',
  }),
  bytes: Type.Integer({
    description: 'Bytes on disk; estimated as 16 per point for recent ones.',
  }),
});

const statusByIdSchema = closed({ byId: Type.Record(Type.String(), nullable(statusSchema)) });

type Services = Pick<MethodServices, 'sizes' | 'latest'>;

/** The definitions. */
export function consoleSignalsStatus({ sizes, latest }: Services): Method[] {
  const common = { role: 'viewer', params: Type.Object({ ids: idsParam('signal', idsMax) }) } as const;
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.items.status',
      summary: 'Returns the newest point of each item; null without points.',
      params: Type.Object({ ids: idsParam('item', idsMax) }),
      result: statusByIdSchema,
      run: async (call, { ids }) => viewStatus(await latest.ofItems(ids, call.signal)),
    }),
    defineConsole({
      ...common,
      name: 'console.signals.sizes',
      summary: 'Returns the number of points of signals, and their bytes on disk.',
      result: closed({ byId: Type.Record(Type.String(), sizeSchema) }),
      run: async (call, { ids }) => ({ byId: Object.fromEntries(await sizes.ofSignals(ids, call.signal)) }),
    }),
    defineConsole({
      ...common,
      name: 'console.signals.status',
      summary: 'Returns the newest point of each signal; null without points.',
      result: statusByIdSchema,
      run: async (call, { ids }) => viewStatus(await latest.ofSignals(ids, call.signal)),
    }),
  ];
}

function viewStatus(latest: ReadonlyMap<string, LatestPoint | null>) {
  const entries = [...latest].map(([id, point]) => [
    id,
    point && { lastTime: printInstant(point.timeUs), lastValue: point.value },
  ]);
  return { byId: Object.fromEntries(entries) };
}
