/** Data queries: the time range and its division into rows, converted from the two wire forms (Q1-Q3). */
import Type, { type Static } from 'typebox';
import { type DataPaths, type DataQuery, dataQueryDefaults, type Width } from '#domain/query/request';
import { durationProblem, parseDuration } from '#model/duration';
import { instantProblem, parseInstant, parseQueryBound } from '#model/instant';
import type { ProblemList } from '#model/problem-list';
import { closed, strict, titled } from '#protocol/schema';

function instant(description: string) {
  return Type.Optional(
    Type.Union([Type.String(), Type.Integer()], {
      description: `${description} RFC 3339, or UNIX seconds.`,
    }),
  );
}

const rollup = Type.Optional(
  Type.String({ description: '"window", or a duration such as PT15M, P1D or P1M; null: raw points.' }),
);

/** The data query of the flat form (interface.md). */
export const flatDataQuerySchema = titled('FlatDataQuery', {
  include: Type.Optional(Type.Boolean({ description: 'Whether the answer has data, default false.' })),
  notBefore: instant('Inclusive start, default 7 days ago.'),
  before: instant('Exclusive end, default 14 days after the start.'),
  rollup,
});

/** The window of a query, on the wire. */
export const timesSchema = Type.Object(
  { $gte: instant('Inclusive start.'), $lt: instant('Exclusive end.') },
  { ...strict, description: 'The window (Q1).' },
);

const seriesSchema = Type.Object(
  { $in: Type.Optional(Type.Array(Type.String())) },
  { ...strict, description: 'Which series are returned; empty: none; absent: all (Q11).' },
);

/** The data query of data frames and evaluations. */
export const dataQuerySchema = titled('DataQuery', {
  filter: Type.Optional(closed({ times: Type.Optional(timesSchema), series: Type.Optional(seriesSchema) })),
  rollup,
  timeZone: Type.Optional(Type.String({ description: 'TZ database name, default UTC (Q3).' })),
  firstDayOfWeek: Type.Optional(Type.Integer({ description: '1 Monday … 7 Sunday, default 1 (Q2).' })),
  origin: instant('Where the counting of buckets begins (Q2).'),
  last: Type.Optional(
    Type.Integer({ description: 'Keeps the newest N values of each series; 0 or less: all (Q8).' }),
  ),
  outsidePoints: Type.Optional(
    Type.Boolean({ description: 'Adds the nearest point outside the window on either side (Q13).' }),
  ),
});

/** The paths of the parts of the flat form's data query. */
export const flatDataPaths: DataPaths = {
  window: 'data.before',
  rollup: 'data.rollup',
  timeZone: 'data',
  firstDayOfWeek: 'data',
  series: 'data',
};

/** The paths of the parts of a data query. */
export const dataPaths: DataPaths = {
  window: 'data.filter.times',
  rollup: 'data.rollup',
  timeZone: 'data.timeZone',
  firstDayOfWeek: 'data.firstDayOfWeek',
  series: 'data.filter.series.$in',
};

/** Reads the flat form's data query; problems are noted by path. */
export function parseFlatDataQuery(
  data: Static<typeof flatDataQuerySchema> | undefined,
  problems: ProblemList,
): DataQuery {
  return {
    ...dataQueryDefaults,
    fromUs: parseTime(data?.notBefore, 'data.notBefore', problems),
    beforeUs: parseTime(data?.before, 'data.before', problems),
    rollup: parseRollup(data?.rollup, null, problems),
  };
}

/**
 * Reads a data query; problems are noted by path. An empty text is a client's zero value and counts as absent; `rollup` is the
 * default.
 */
export function parseDataQuery(
  data: Static<typeof dataQuerySchema> | undefined,
  problems: ProblemList,
  rollup: Width | null = null,
): DataQuery {
  const times = data?.filter?.times;
  return {
    fromUs: parseTime(times?.$gte, 'data.filter.times.$gte', problems),
    beforeUs: parseTime(times?.$lt, 'data.filter.times.$lt', problems),
    rollup: parseRollup(data?.rollup, rollup, problems),
    timeZone: data?.timeZone || dataQueryDefaults.timeZone,
    firstDayOfWeek: data?.firstDayOfWeek ?? dataQueryDefaults.firstDayOfWeek,
    originUs: data?.origin ? parseTime(data.origin, 'data.origin', problems, parseInstant) : null,
    last: data?.last ?? dataQueryDefaults.last,
    outsidePoints: data?.outsidePoints ?? dataQueryDefaults.outsidePoints,
    series: data?.filter?.series?.$in ?? dataQueryDefaults.series,
  };
}

/** Reads a time, by default as the bound of a query's window. Null when it is absent; NaN when it is wrong, which is noted. */
export function parseTime(
  value: unknown,
  path: string,
  problems: ProblemList,
  parse: (value: unknown) => number | null = parseQueryBound,
): number | null {
  const us = parse(value);
  if (us !== null && Number.isNaN(us)) problems.add([path], instantProblem(value));
  return us;
}

/** Null when it is wrong. */
function parseRollup(text: string | undefined, absent: Width | null, problems: ProblemList): Width | null {
  if (text === undefined || text === '') return absent;
  if (text === 'window') return text;
  const problem = durationProblem(text);
  if (problem === null) return parseDuration(text);
  problems.add(['data.rollup'], problem.replace(/^must be /, 'must be "window" or '));
  return null;
}
