/** The parameters of an export, from the query of its URL (X1-X5). */
import type { ExportRequest } from '#domain/export/request';
import type { Width } from '#domain/query/request';
import { durationProblem, parseDuration } from '#model/duration';
import { type ExportForm, type ExportSubject, parsePosition } from '#model/export';
import { matchAll } from '#model/filter';
import type { Limits } from '#model/limits';
import { ProblemList, quote } from '#model/problem-list';
import { statistics } from '#model/statistic';
import { idPattern } from '#model/xid';
import { parseTime } from '../data-query.ts';
import { parseFilter } from '../filter.ts';
import { filterRules } from '../resource-query.ts';

/** File formats. */
export const exportFormats = ['csv', 'jsonl', 'parquet'] as const;

/** How a file is written. */
export interface FileOptions {
  format: (typeof exportFormats)[number];
  compression: 'gzip' | 'zstd' | null;
  separator: ',' | ';' | '\t';
  decimal: '.' | ',';
  titles: 'id' | 'name';
}

/** What a client has asked for. */
export interface ExportParams {
  request: ExportRequest;
  file: FileOptions;
  /** After about so many points the export is cut, with the position where it goes on; Infinity: it is not. */
  pointsMax: number;
}

const names = [
  ...[
    'format',
    'form',
    'from',
    'to',
    'items',
    'signals',
    'filter',
    'rollup',
    'statistics',
    'timeZone',
    'firstDayOfWeek',
  ],
  ...['metadata', 'after', 'limit', 'compression', 'separator', 'decimal', 'titles'],
];

const separators = { comma: ',', semicolon: ';', tab: '\t' } as const;
const decimals = { point: '.', comma: ',' } as const;

/** Reads the parameters. Fails with `invalid-params` and every problem, by name. */
export function parseExportParams(query: URLSearchParams, limits: Limits): ExportParams {
  const problems = new ProblemList();
  const read = new QueryReader(query, problems);
  const file = readFile(read, problems);
  const subject = readSubject(read, problems);
  const rollup = readRollup(read.text('rollup'), problems);
  const request: ExportRequest = {
    subject,
    ids: readIds(read.text(subject), subject, problems),
    filter: readFilter(read.text('filter'), subject, limits, problems),
    form: read.choice('form', ['long', 'wide'] as const, 'long') satisfies ExportForm,
    fromUs: readBound('from', read.text('from'), problems),
    beforeUs: readBound('to', read.text('to'), problems),
    rollup,
    timeZone: read.text('timeZone') ?? 'UTC',
    firstDayOfWeek: read.whole('firstDayOfWeek', 1, 7) ?? 1,
    statistics: readStatistics(read.text('statistics'), rollup, problems),
    hasMetadata: read.choice('metadata', ['true', 'false'] as const, 'false') === 'true',
    after: readPosition(read.text('after'), problems),
  };
  if (request.ids !== null && request.filter !== matchAll) problems.add(['filter'], `needs ${subject}=*`);
  if (request.hasMetadata && (file.format === 'csv' || request.form === 'wide' || rollup !== null))
    problems.add(['metadata'], 'needs format=jsonl or parquet, and form=long, without a rollup');
  const pointsMax = read.whole('limit', 1, Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY;
  problems.throwIfAny();
  return { request, file, pointsMax };
}

/** Reads single parameters; an empty one counts as absent. */
class QueryReader {
  readonly #query: URLSearchParams;
  readonly #problems: ProblemList;

  constructor(query: URLSearchParams, problems: ProblemList) {
    this.#query = query;
    this.#problems = problems;
    for (const name of new Set(query.keys())) {
      if (!names.includes(name)) problems.add([name], `unknown parameter; known are ${names.join(', ')}`);
      else if (query.getAll(name).length > 1) problems.add([name], 'must be given once');
    }
  }

  text(name: string): string | null {
    return this.#query.get(name) || null;
  }

  choice<T extends string>(name: string, choices: readonly T[], absent: T): T {
    const text = this.text(name);
    if (text === null) return absent;
    const choice = choices.find((known) => known === text);
    if (choice === undefined)
      this.#problems.add([name], `must be one of ${choices.join(', ')}, got ${quote(text)}`);
    return choice ?? absent;
  }

  whole(name: string, min: number, max: number): number | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.#problems.add([name], `must be a whole number from ${min} to ${max}, got ${quote(text)}`);
    return null;
  }
}

function readFile(read: QueryReader, problems: ProblemList): FileOptions {
  const format = read.text('format');
  if (format === null) problems.add(['format'], `required: one of ${exportFormats.join(', ')}`);
  const separator = separators[read.choice('separator', ['comma', 'semicolon', 'tab'] as const, 'comma')];
  const decimal = decimals[read.choice('decimal', ['point', 'comma'] as const, 'point')];
  if (decimal === separator) problems.add(['decimal'], 'comma needs separator=semicolon or separator=tab');
  const compression = read.choice('compression', ['none', 'gzip', 'zstd'] as const, 'none');
  return {
    format: read.choice('format', exportFormats, 'csv'),
    compression: compression === 'none' ? null : compression,
    separator,
    decimal,
    titles: read.choice('titles', ['id', 'name'] as const, 'id'),
  };
}

/** Items, unless signals are named; `signals=*` are all of them. */
function readSubject(read: QueryReader, problems: ProblemList): ExportSubject {
  const hasSignals = read.text('signals') !== null;
  if (hasSignals && read.text('items') !== null) problems.add(['signals'], 'cannot be combined with items');
  if (!hasSignals && read.text('items') === null)
    problems.add(
      ['items'],
      'required: IDs with commas between them, or * for all that the filter matches; or signals',
    );
  return hasSignals ? 'signals' : 'items';
}

function readIds(text: string | null, subject: ExportSubject, problems: ProblemList): string[] | null {
  if (text === null || text === '*') return null;
  const ids = [...new Set(text.split(','))];
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined)
    problems.add(
      [subject],
      `must be IDs of 20 characters with commas between them, or *, got ${quote(wrong)}`,
    );
  return wrong === undefined ? ids : [];
}

function readFilter(text: string | null, resource: ExportSubject, limits: Limits, problems: ProblemList) {
  if (text === null) return matchAll;
  return parseFilter(readObject(text, problems), 'filter', filterRules({ resource, limits }), problems);
}

function readObject(text: string, problems: ProblemList): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Reported below.
  }
  problems.add(['filter'], 'must be a JSON object such as {"name":"Flow"}');
  return {};
}

/** RFC 3339, or UNIX seconds. */
function readBound(name: string, text: string | null, problems: ProblemList): number | null {
  if (text === null) return null;
  const value = /^-?\d{1,12}$/.test(text) ? Number(text) : text;
  return parseTime(value, name, problems);
}

function readRollup(text: string | null, problems: ProblemList): Width | null {
  if (text === null || text === 'window') return text;
  const problem = durationProblem(text);
  if (problem === null) return parseDuration(text);
  problems.add(['rollup'], problem.replace(/^must be /, 'must be "window" or '));
  return null;
}

function readStatistics(text: string | null, rollup: Width | null, problems: ProblemList) {
  if (text === null) return null;
  if (rollup === null) problems.add(['statistics'], 'needs a rollup');
  const asked = [...new Set(text.split(','))];
  const known = asked.flatMap((name) => statistics.find((statistic) => statistic === name) ?? []);
  if (known.length < asked.length)
    problems.add(
      ['statistics'],
      `must be of ${statistics.join(', ')}, with commas between them, got ${quote(text)}`,
    );
  return known;
}

function readPosition(text: string | null, problems: ProblemList) {
  if (text === null) return null;
  const position = parsePosition(text);
  if (position === null)
    problems.add(['after'], `must be a position from an earlier export, got ${quote(text)}`);
  return position;
}
