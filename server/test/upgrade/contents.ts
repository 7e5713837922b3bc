/** Everything that a data directory holds, as plain values that can be kept as text. */
import { createHash } from 'node:crypto';
import type { Domain } from '#domain/domain';
import { matchAll } from '#model/filter';
import { printInstant } from '#model/instant-printer';
import { printScope } from '#model/retention';
import type { Attributes } from '#model/signal';

const everything = { filter: matchAll, sort: [], limit: 1000, skip: 0, total: false };

/** Points of each signal that are kept as text, from either end; the others are in the digest. */
const shownPoints = 3;

/** What can be read out of a directory. */
export async function contentsOf({ meta, series, plans, audit, retention, people }: Domain) {
  const { records: signals } = await meta.signals.select(everything, null);
  const { records: items } = await meta.items.select(everything);
  const integrations = await meta.integrations.all();
  const credentials = await meta.credentials.all();
  const verdict = await audit.verify();
  return {
    integrations: integrations.map(({ id, name, grants, plan }) => ({ id, name, grants, plan })),
    credentials: credentials.map(({ id, integration, type, label }) => ({ id, integration, type, label })),
    signals: await Promise.all(
      signals.map(async ({ id, number, integration, input, attributes, annotations, item }) => ({
        ...{ id, number, integration, input, item, annotations: Object.fromEntries(annotations) },
        attributes: viewOf(attributes),
        points: await pointsOf(series, number),
      })),
    ),
    items: items.map(({ id, attributes, annotations, visible }) => ({
      ...{ id, visible, annotations: Object.fromEntries(annotations), attributes: viewOf(attributes) },
    })),
    plans: (await plans.list()).map(({ rates, ...plan }) => ({ ...plan, rates: Object.fromEntries(rates) })),
    people: people.list().map(({ id, name, role }) => ({ id, name, role })),
    retention: (await retention.rules()).map(({ scope, keep }) => ({ scope: printScope(scope), keep })),
    audit: verdict.ok ? { rows: verdict.rows, head: verdict.head } : verdict,
  };
}

function viewOf({ labels, enumValues, ...attributes }: Attributes) {
  return { ...attributes, labels: Object.fromEntries(labels), enumValues: Object.fromEntries(enumValues) };
}

/** How many, the first and the last ones, and a digest of all of them, bit by bit. */
async function pointsOf(series: Domain['series'], signal: number) {
  const window = { startUs: -(2 ** 53), endUs: 2 ** 53 };
  const [{ timesUs, values }] = await series.scan({
    sources: [{ signals: [signal], window, before: false, after: false }],
  });
  const shown = Array.from(timesUs, (timeUs, i) => `${printInstant(timeUs)} ${values[i]}`);
  const sha256 = createHash('sha256').update(bytesOf(timesUs)).update(bytesOf(values)).digest('hex');
  return {
    count: timesUs.length,
    first: shown.slice(0, shownPoints),
    last: shown.slice(-shownPoints),
    sha256,
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
