/** console.signals.history: the history of a signal, published or not (A5j). */
import Type from 'typebox';
import { type HistoryFigures, type HistoryPart, historyParts, newestMax } from '#domain/overview/history';
import { dayUs, secondUs } from '#model/duration';
import { invalidParams } from '#model/error';
import { printInstant } from '#model/instant-printer';
import type { Method } from '#protocol/method';
import { nullable, titled } from '#protocol/schema';
import { parseFixedDuration } from '../interval.ts';
import type { MethodServices } from '../services.ts';
import { dateSchema, idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Maximum number of signals, usually those that feed one item. */
const idsMax = 100;
const rangeDaysMax = 3660;

const valueOrNull = nullable(Type.Number(), { description: 'Null: no points.' });
const partSchema = titled('HistoryPart', {
  time: Type.String({ description: 'RFC 3339, UTC: the start of the part.' }),
  count: Type.Integer({ minimum: 0, description: 'Number of points.' }),
  min: valueOrNull,
  max: valueOrNull,
  avg: valueOrNull,
  last: valueOrNull,
});

const historySchema = titled('SignalHistory', {
  from: dateSchema,
  before: dateSchema,
  parts: Type.Array(partSchema, { description: `${historyParts} equal parts, oldest first.` }),
  newest: Type.Array(titled('HistoryPoint', { time: dateSchema, value: Type.Number() }), {
    description: `Newest points, at most ${newestMax}, newest first.`,
  }),
});

type Services = Pick<MethodServices, 'history'>;

/** The definition. */
export function consoleSignalsHistory(services: Services): Method[] {
  const method = defineConsole({
    name: 'console.signals.history',
    role: 'viewer',
    load: 'read',
    summary: `Returns the recent history of one signal, or of several read as one: ${historyParts} equal parts, and the newest points.`,
    params: Type.Object({
      ids: Type.Array(idParam('signal'), { minItems: 1, maxItems: idsMax }),
      range: Type.String({ description: `A duration such as P7D, PT1S to P${rangeDaysMax}D.` }),
    }),
    result: historySchema,
    async run(call, { ids, range }) {
      return view(await services.history.ofSignals(ids, parseRange(range), call.signal));
    },
  });
  return [method];
}

function parseRange(text: string): number {
  const us = parseFixedDuration(text);
  if (typeof us !== 'number') throw invalidParams({ range: [us.problem] });
  if (us < secondUs || us > rangeDaysMax * dayUs)
    throw invalidParams({ range: [`must be PT1S to P${rangeDaysMax}D, got ${text}`] });
  return us;
}

function view({ window, parts, newest }: HistoryFigures) {
  return {
    from: printInstant(window.startUs),
    before: printInstant(window.endUs),
    parts: parts.map(viewPart),
    newest: newest.map(({ timeUs, value }) => ({ time: printInstant(timeUs), value })),
  };
}

function viewPart({ startUs, count, min, max, avg, last }: HistoryPart) {
  const orNull = (value: number) => (Number.isNaN(value) ? null : value);
  const values = { min: orNull(min), max: orNull(max), avg: orNull(avg), last: orNull(last) };
  return { time: printInstant(startUs), count, ...values };
}
