/** Answers as InfluxDB gives them: `error` is what clients of version 1 read, `code` and `message` are for those of version 2. */
import { Overload } from '#load/overload';
import { AppError } from '#model/error';
import type { LinesOutcome } from '#protocol/line-protocol/line-endpoint';
import type { Exchange, Headers } from '../exchange.ts';
import { problemOfCall, toProblem } from '../failure.ts';
import { jsonType } from '../media-type.ts';
import { HttpProblem } from '../problem.ts';

/** Status → the code of version 2. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  413: 'request too large',
  415: 'invalid',
  429: 'too many requests',
  503: 'unavailable',
};

/** Sends an error; `more` are further members of its body. */
export async function sendInfluxError(
  exchange: Exchange,
  { status, message, headers }: Pick<HttpProblem, 'status' | 'message' | 'headers'>,
  more: object = {},
): Promise<void> {
  const code = codes[status] ?? 'internal error';
  const body = { code, message, error: message, ...more, trace: exchange.trace.traceId };
  const all: Headers = { 'cache-control': 'no-store', ...headers, 'x-influxdb-error': printable(message) };
  await exchange.sendText(status, jsonType, JSON.stringify(body), all);
}

/** Header values are ASCII here: a line may hold anything. */
function printable(text: string): string {
  return text.slice(0, 500).replace(/[^\x20-\x7e]/g, '?');
}

/** Answers with the problem for an error of the caller or of load; other errors are thrown. */
export async function sendInfluxFailure(exchange: Exchange, error: unknown): Promise<void> {
  const isKnown = error instanceof HttpProblem || error instanceof AppError || error instanceof Overload;
  if (!isKnown || exchange.hasBegun || exchange.isAbort(error)) throw error;
  const own = error instanceof AppError ? problemOfCall(error) : null;
  await sendInfluxError(exchange, own ?? toProblem(error));
}

/** The header that says how many strings were left out. */
const leftOutHeader = 'x-tidemark-strings-left-out';

/**
 * Answers what became of lines: 204, or 400 with what was not stored; the rest is stored then. Strings of signals without states
 * are an error only where nothing else was sent: agents send some with every line, and can do nothing about them.
 */
export async function sendOutcome(exchange: Exchange, outcome: LinesOutcome): Promise<void> {
  const { points, droppedLines, droppedFields, leftOut } = outcome;
  const isInVain = points === 0 && leftOut > 0;
  const problems = isInVain ? [...outcome.problems, ...outcome.texts] : outcome.problems;
  const told: Headers = leftOut > 0 ? { [leftOutHeader]: String(leftOut) } : {};
  if (problems.length === 0) return exchange.sendEmpty(204, { 'cache-control': 'no-store', ...told });
  const each = problems.map(({ line, message }) => `line ${line}: ${message}`);
  const dropped = droppedFields + (isInVain ? leftOut : 0);
  const more = droppedLines + dropped - problems.length;
  if (more > 0) each.push(`and ${more} more`);
  const start = points > 0 ? 'partial write: ' : '';
  const counts = `dropped=${droppedLines} lines, ${dropped} fields; stored=${points} points`;
  const message = `${start}${each.join('\n')}\n${counts}`;
  await sendInfluxError(exchange, { status: 400, message, headers: told }, { line: problems[0].line });
}
