/** console.signals.trends and .spacing: trends of signals, and the intervals between their newest points. */
import Type from 'typebox';
import { trendParts } from '#domain/overview/latest';
import type { SpacingFigures } from '#domain/overview/spacing';
import { dayUs, printDuration } from '#model/duration';
import { invalidParams } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import { ProblemList } from '#model/problem-list';
import type { Window } from '#model/window';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { dateOrNull, dateSchema, idParam, idsParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Maximum number of signals of one call. */
const idsMax = 50;
const windowDaysMax = 31;

/** Parts are whole microseconds, so the time range is shortened to a multiple. */
function parseWindow(from: string, before: string): Window {
  const problems = new ProblemList();
  const [startUs, endUs] = [parseInstant(from), parseInstant(before)];
  if (Number.isNaN(startUs)) problems.add(['from'], instantProblem(from));
  if (Number.isNaN(endUs)) problems.add(['before'], instantProblem(before));
  if (!problems.isEmpty) throw problems.toError();
  const partUs = Math.floor((endUs - startUs) / trendParts);
  if (partUs < 1) throw invalidParams({ before: [`must be after ${from}`] });
  if (endUs - startUs > windowDaysMax * dayUs)
    throw invalidParams({ before: [`must be at most ${windowDaysMax} days after from`] });
  return { startUs, endUs: startUs + partUs * trendParts };
}

const durationOrNull = nullable(Type.String(), {
  description: 'A duration such as PT1M3S; null: too few points.',
});

const spacingSchema = titled('SignalSpacing', {
  points: Type.Integer({ description: 'Number of newest points that were examined.' }),
  from: dateOrNull('there are no points'),
  to: dateOrNull('there are no points'),
  median: durationOrNull,
  least: durationOrNull,
  most: durationOrNull,
  gap: nullable(Type.String(), {
    description:
      'Longer intervals are gaps: gapDetection of the signal, else three times its sampleInterval, else three times the median.',
  }),
  gapCount: Type.Integer(),
  gaps: Type.Array(closed({ from: dateSchema, to: dateSchema }), {
    description: 'Newest gaps, newest first: from the point before to the point after.',
  }),
});

type Services = Pick<MethodServices, 'latest' | 'spacing'>;

/** The definitions. */
export function consoleSignalsShape({ latest, spacing }: Services): Method[] {
  return [
    defineConsole({
      name: 'console.signals.trends',
      role: 'viewer',
      load: 'read',
      summary: `Returns averages of signals in ${trendParts} equal parts of a time range.`,
      params: Type.Object({
        ids: idsParam('signal', idsMax),
        from: Type.String({ description: 'RFC 3339: start of the first part.' }),
        before: Type.String({
          description: `RFC 3339: end of the last part, at most ${windowDaysMax} days later.`,
        }),
      }),
      result: closed({
        byId: Type.Record(Type.String(), Type.Array(nullable(Type.Number())), {
          description: 'Oldest first; null: no points.',
        }),
      }),
      async run(call, { ids, from, before }) {
        const trends = await latest.trends(ids, parseWindow(from, before), call.signal);
        const orNull = (value: number) => (Number.isNaN(value) ? null : value);
        return {
          byId: Object.fromEntries([...trends].map(([id, averages]) => [id, Array.from(averages, orNull)])),
        };
      },
    }),
    defineConsole({
      name: 'console.signals.spacing',
      role: 'viewer',
      load: 'read',
      summary: 'Returns the intervals between the newest points of a signal, and its gaps.',
      params: Type.Object({ id: idParam('signal') }),
      result: spacingSchema,
      async run(call, { id }) {
        const figures = await spacing.ofSignal(id, call.signal);
        if (figures === null) throw invalidParams({ id: [`unknown signal ${id}`] });
        return spacingView(figures);
      },
    }),
  ];
}

function spacingView(figures: SpacingFigures) {
  const { points, fromUs, toUs, gapCount, gaps } = figures;
  return {
    ...{ points, gapCount },
    from: fromUs === null ? null : printInstant(fromUs),
    to: toUs === null ? null : printInstant(toUs),
    median: printSpan(figures.medianUs),
    least: printSpan(figures.leastUs),
    most: printSpan(figures.mostUs),
    gap: printSpan(figures.gapUs),
    gaps: gaps.map(({ startUs, endUs }) => ({ from: printInstant(startUs), to: printInstant(endUs) })),
  };
}

function printSpan(us: number | null): string | null {
  return us === null ? null : printDuration({ kind: 'fixed', us });
}
