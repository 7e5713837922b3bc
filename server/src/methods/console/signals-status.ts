/** console.signals.status, .sizes and console.items.status: the newest point of signals and items, and their sizes. */
import Type from 'typebox';
import type { Latest, LatestPoint } from '#domain/overview/latest';
import type { Sizes } from '#domain/overview/sizes';
import { printInstant } from '#model/instant-printer';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Maximum number of signals of one call. */
const idsMax = 200;

const statusSchema = Type.Object(
  { lastTime: Type.String({ description: 'RFC 3339, UTC.' }), lastValue: Type.Number() },
  { ...strict, title: 'SignalStatus' },
);

const sizeSchema = Type.Object(
  {
    points: Type.Integer({
      description: 'Points; of those of the last moments, one that was overwritten may still count.',
    }),
    bytes: Type.Integer({
      description: 'Bytes that they take on disk; estimated, with 16 a point, for those of the last moments.',
    }),
  },
  { ...strict, title: 'SignalSize' },
);

const idsSchema = Type.Array(idParam('signal'), {
  maxItems: idsMax,
  description: 'Signal IDs; unknown ones are left out.',
});

interface Services {
  sizes: Sizes;
  latest: Latest;
}

/** The definitions. */
export function consoleSignalsStatus(services: Services): Method[] {
  return [itemStatusMethod(services), sizesMethod(services), statusMethod(services)];
}

function sizesMethod(services: Services): Method {
  return defineConsole({
    name: 'console.signals.sizes',
    role: 'viewer',
    summary: 'Gives how many points signals have, and how many bytes these take on disk.',
    params: Type.Object({ ids: idsSchema }),
    result: Type.Object({ byId: Type.Record(Type.String(), sizeSchema) }, strict),
    async run(call, { ids }) {
      return { byId: Object.fromEntries(await services.sizes.ofSignals(ids, call.signal)) };
    },
  });
}

const statusByIdSchema = Type.Object(
  { byId: Type.Record(Type.String(), Type.Union([statusSchema, Type.Null()])) },
  strict,
);

function statusMethod(services: Services): Method {
  return defineConsole({
    name: 'console.signals.status',
    role: 'viewer',
    summary: 'Gives the newest point of signals; null for one without points.',
    params: Type.Object({ ids: idsSchema }),
    result: statusByIdSchema,
    async run(call, { ids }) {
      return statusView(await services.latest.ofSignals(ids, call.signal));
    },
  });
}

function itemStatusMethod(services: Services): Method {
  return defineConsole({
    name: 'console.items.status',
    role: 'viewer',
    summary: 'Gives the newest point of items; null for one without points.',
    params: Type.Object({
      ids: Type.Array(idParam('item'), {
        maxItems: idsMax,
        description: 'Item IDs; unknown ones are left out.',
      }),
    }),
    result: statusByIdSchema,
    async run(call, { ids }) {
      return statusView(await services.latest.ofItems(ids, call.signal));
    },
  });
}

function statusView(latest: ReadonlyMap<string, LatestPoint | null>) {
  const entries = [...latest].map(([id, point]) => [
    id,
    point && { lastTime: printInstant(point.timeUs), lastValue: point.value },
  ]);
  return { byId: Object.fromEntries(entries) };
}
