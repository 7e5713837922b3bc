/** console.signals.status: the newest point of signals. */
import Type from 'typebox';
import { printInstant } from '#model/instant-printer';
import type { Method } from '#protocol/method';
import type { Domain } from '../domain.ts';
import { idParam, strict } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Signals of one call: a screenful, several times over. */
const idsMax = 200;

const statusSchema = Type.Object(
  { lastTime: Type.String({ description: 'RFC 3339, UTC.' }), lastValue: Type.Number() },
  { ...strict, title: 'SignalStatus' },
);

/** The definitions. */
export function consoleSignalsStatus({ console: rooms }: Domain): Method[] {
  const method = defineConsole({
    name: 'console.signals.status',
    role: 'viewer',
    summary: 'Gives the newest point of signals; null for one without points.',
    params: Type.Object({
      ids: Type.Array(idParam('signal'), {
        maxItems: idsMax,
        description: 'Signal IDs; unknown ones are left out.',
      }),
    }),
    result: Type.Object(
      { byId: Type.Record(Type.String(), Type.Union([statusSchema, Type.Null()])) },
      strict,
    ),
    async run(call, { ids }) {
      const latest = await rooms.latest.ofSignals(ids, call.signal);
      const entries = [...latest].map(([id, point]) => [
        id,
        point && { lastTime: printInstant(point.timeUs), lastValue: point.value },
      ]);
      return { byId: Object.fromEntries(entries) };
    },
  });
  return [method];
}
