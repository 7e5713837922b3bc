/** console.signals.trends and .spacing: trends of signals, and the intervals between their newest points. */
import Type from 'typebox';
import type { Spacing, SpacingFigures } from '#domain/overview/spacing';
import { type Trend, trendParts } from '#domain/overview/trend';
import { dayUs, printDuration } from '#model/duration';
import { invalidParams } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import { ProblemList } from '#model/problem-list';
import type { Window } from '#model/window';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { dateOrNull, dateSchema, idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** Maximum number of signals of one call. */
const idsMax = 50;
const windowDaysMax = 31;

interface Services {
  trend: Trend;
  spacing: Spacing;
}

/** The definitions. */
export function consoleSignalsShape(services: Services): Method[] {
  return [trendsMethod(services), spacingMethod(services)];
}

function trendsMethod(services: Services): Method {
  return defineConsole({
    name: 'console.signals.trends',
    role: 'viewer',
    load: 'read',
    summary: `Gives averages of signals in ${trendParts} equal parts of a stretch of time.`,
    params: Type.Object({
      ids: Type.Array(idParam('signal'), {
        maxItems: idsMax,
        description: 'Signal IDs; unknown ones are left out.',
      }),
      from: Type.String({ description: 'RFC 3339: where the first part begins.' }),
      before: Type.String({
        description: `RFC 3339: where the last part ends, at most ${windowDaysMax} days later.`,
      }),
    }),
    result: Type.Object(
      {
        byId: Type.Record(Type.String(), Type.Array(Type.Union([Type.Number(), Type.Null()])), {
          description: 'Oldest first; null: no points.',
        }),
      },
      strict,
    ),
    async run(call, { ids, from, before }) {
      const trends = await services.trend.ofSignals(ids, parseWindow(from, before), call.signal);
      const orNull = (value: number) => (Number.isNaN(value) ? null : value);
      return {
        byId: Object.fromEntries([...trends].map(([id, averages]) => [id, Array.from(averages, orNull)])),
      };
    },
  });
}

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

const durationOrNull = Type.Union([Type.String(), Type.Null()], {
  description: 'A duration such as PT1M3S; null: there are too few points to tell.',
});

const spacingSchema = Type.Object(
  {
    points: Type.Integer({ description: 'How many of the newest points were looked at.' }),
    from: dateOrNull('there are no points'),
    to: dateOrNull('there are no points'),
    median: durationOrNull,
    least: durationOrNull,
    most: durationOrNull,
    gap: Type.Union([Type.String(), Type.Null()], {
      description:
        'Longer is a gap: gapDetection of the signal, else three times its sampleInterval, else three times the median.',
    }),
    gapCount: Type.Integer(),
    gaps: Type.Array(Type.Object({ from: dateSchema, to: dateSchema }, strict), {
      description: 'The newest ones, the newest first: from the point before to the point after.',
    }),
  },
  { ...strict, title: 'SignalSpacing' },
);

function spacingMethod(services: Services): Method {
  return defineConsole({
    name: 'console.signals.spacing',
    role: 'viewer',
    load: 'read',
    summary: 'Says how far apart the newest points of a signal are, and where there are gaps.',
    params: Type.Object({ id: idParam('signal') }),
    result: spacingSchema,
    async run(call, { id }) {
      const figures = await services.spacing.ofSignal(id, call.signal);
      if (figures === null) throw invalidParams({ id: [`no signal has the ID ${id}`] });
      return spacingView(figures);
    },
  });
}

function spacingView({
  points,
  fromUs,
  toUs,
  medianUs,
  leastUs,
  mostUs,
  gapUs,
  gapCount,
  gaps,
}: SpacingFigures) {
  return {
    points,
    from: fromUs === null ? null : printInstant(fromUs),
    to: toUs === null ? null : printInstant(toUs),
    median: printSpan(medianUs),
    least: printSpan(leastUs),
    most: printSpan(mostUs),
    gap: printSpan(gapUs),
    gapCount,
    gaps: gaps.map(({ startUs, endUs }) => ({ from: printInstant(startUs), to: printInstant(endUs) })),
  };
}

function printSpan(us: number | null): string | null {
  return us === null ? null : printDuration({ kind: 'fixed', us });
}
