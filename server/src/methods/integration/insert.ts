/** integration.insert: stores a data frame under the caller's own input keys (R9). */
import Type from 'typebox';
import { readFrame } from '#domain/ingest/columns';
import type { Inserted } from '#domain/ingest/ingest';
import { Columns } from '#model/frame';
import { ProblemList, quote } from '#model/problem-list';
import { JsonParts, JsonText } from '#protocol/json-text';
import { defineMethod, type Method } from '#protocol/method';
import { describedOnly, nullable } from '#protocol/schema';
import { versions } from '#protocol/version';
import { integrationSchema, requireOwn } from '../integration-param.ts';
import type { MethodServices } from '../services.ts';
import { createSummarySchema, summariesSchema } from '../summary.ts';

const params = Type.Object({
  integration: integrationSchema,
  data: Type.Object(
    {
      times: describedOnly(
        Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'RFC 3339, or UNIX seconds; one for each row, in any order.',
        }),
      ),
      series: describedOnly(
        Type.Record(Type.String(), Type.Array(nullable(Type.Number())), {
          description: 'Input key to values, each as long as times; null leaves what is stored.',
        }),
      ),
    },
    { description: 'Data frame; in place of it the body may be an Apache Arrow stream (W5b).' },
  ),
});

type Services = Pick<MethodServices, 'ingest'>;

/** The definitions of integration.insert. */
export function insert({ ingest }: Services): Method[] {
  const method = defineMethod({
    name: 'integration.insert',
    versions,
    grant: 'integration',
    checksFirst: true,
    load: 'insert',
    summary: 'Stores time-series data; creates signals for input keys that are new.',
    params,
    takesColumns: true,
    result: summariesSchema('signalsByInput', createSummarySchema),
    async run(call, { integration, data }, problems) {
      if (!problems.has('integration')) requireOwn(call, integration);
      const columns = columnsOf(data);
      problems.throwIfAny();
      return summariesText(await ingest.insert(integration, columns, call.ticket.account));
    },
  });
  return [method];
}

/** Of so many signals at most the result is text at once; more would hold up the event loop for milliseconds. */
const signalsAtOnce = 4096;

/** The results of frames that may come again, by the array of their signals (see `Columns.keys`): clients of many signals get the same long text at each insert. */
const known = new WeakMap<Inserted['signals'], JsonText>();

/** The result as text: input keys and IDs have no character that JSON would escape, and an object of a thousand keys is slow. */
function summariesText(inserted: Inserted): JsonText | JsonParts {
  const { signals } = inserted;
  if (signals.length > signalsAtOnce) return new JsonParts(() => summaryParts(inserted));
  return known.getOrInsertComputed(signals, () => new JsonText([...summaryParts(inserted)].join('')));
}

function* summaryParts({ inputs, signals }: Inserted): Generator<string, void, undefined> {
  yield '{"signalsByInput":{';
  for (let start = 0; start < signals.length; start += signalsAtOnce) {
    const each = signals.slice(start, start + signalsAtOnce).map(({ id, created }, i) => {
      return `"${inputs[start + i]}":{"id":"${id}","created":${created === true}}`;
    });
    yield (start === 0 ? '' : ',') + each.join(',');
  }
  yield '}}';
}

/** The frame as columns: read by the protocol already, or else by the domain, which checks what is in its arrays. */
function columnsOf({ times, series }: { times: unknown; series: unknown }): Columns {
  if (series instanceof Columns) return series;
  const problems = new ProblemList();
  if (!Array.isArray(times)) problems.add(['data', 'times'], `must be an array, got ${quote(times)}`);
  if (typeof series !== 'object' || series === null || Array.isArray(series)) {
    problems.add(['data', 'series'], `must be an object, got ${quote(series)}`);
  }
  if (!problems.isEmpty) throw problems.toError();
  return readFrame({ times: times as unknown[], series: series as Record<string, unknown> });
}
