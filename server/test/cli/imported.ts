/** What has been imported, read back over the interface and compared with its file, point by point and day by day. */
import assert from 'node:assert/strict';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import type { Recording } from './recordings.ts';

/** A client that keeps its token: token retrieval is limited. */
export async function client(file: CredentialsFile) {
  const { apiUrl, credentials } = file;
  const form = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    audience: apiUrl,
  };
  const answer = await fetch(`${apiUrl}oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = (await answer.json()) as { access_token: string };
  return async <Result>(method: string, params: object): Promise<Result> => {
    const response = await fetch(`${apiUrl}rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const body = (await response.json()) as { result: Result };
    assert.ok(body.result !== undefined, JSON.stringify(body));
    return body.result;
  };
}

/** Calls a method; its result. */
export type Call = Awaited<ReturnType<typeof client>>;

interface Frame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

/** Publishes every signal of the integration; input key → item. */
async function publish(
  call: Call,
  integration: string,
): Promise<Map<string, { item: string; name: string }>> {
  const signals = await call<{
    data: { id: string; attributes: { input: string; name: string } }[];
  }>('admin.selectSignals', { integration, query: { limit: 1000 } });
  const itemsBySignal = Object.fromEntries(signals.data.map(({ id }) => [id, {}]));
  const published = await call<{ itemsBySignal: Record<string, { id: string }> }>('admin.publishSignals', {
    integration,
    itemsBySignal,
  });
  return new Map(
    signals.data.map(({ id, attributes }) => [
      attributes.input,
      { item: published.itemsBySignal[id].id, name: attributes.name },
    ]),
  );
}

/** Reads items back raw, month by month; item → UNIX ms → value. */
async function readBack(call: Call, items: string[], fromMs: number, untilMs: number) {
  const points = new Map(items.map((item) => [item, new Map<number, number>()]));
  const stepMs = 40 * 86_400_000;
  for (let startMs = fromMs; startMs <= untilMs; startMs += stepMs) {
    const times = { $gte: new Date(startMs).toISOString(), $lt: new Date(startMs + stepMs).toISOString() };
    const { data } = await call<{ data: Frame }>('service.dataFrame', {
      query: { filter: { id: { $in: items } }, limit: 50 },
      data: { filter: { times } },
    });
    for (const [row, time] of data.times.entries()) {
      for (const [item, values] of Object.entries(data.series)) {
        const value = values[row];
        if (value !== null) points.get(item)!.set(Date.parse(time), value);
      }
    }
  }
  return points;
}

/** Every point of the recording, and no other, is in the service once its signals are published; the published by input key. */
export async function assertEqual(
  call: Call,
  integration: string,
  recording: Pick<Recording, 'columns'>,
  keyOf = (title: string) => title,
) {
  const published = await publish(call, integration);
  const times = [...recording.columns.values()].flatMap((points) => [...points.keys()]);
  const [first, last] = times.reduce(
    ([low, high], ms) => [Math.min(low, ms), Math.max(high, ms)],
    [Infinity, -Infinity],
  );
  const items = [...recording.columns.keys()].map((title) => published.get(keyOf(title))!.item);
  const stored = await readBack(call, items, first, last);
  for (const [title, points] of recording.columns) {
    const found = stored.get(published.get(keyOf(title))!.item)!;
    assert.equal(found.size, points.size, title);
    for (const [ms, value] of points)
      assert.equal(found.get(ms), value, `${title} ${new Date(ms).toISOString()}`);
  }
  return published;
}

interface Day {
  count: number;
  sum: number;
  min: number;
  max: number;
  avg: number;
}

/** The statistics of one UTC day, computed from the file. */
function dayOf(points: Map<number, number>, startMs: number): Day {
  const values = [...points]
    .filter(([ms]) => ms >= startMs && ms < startMs + 86_400_000)
    .map(([, value]) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return { count: values.length, sum, min, max, avg: sum / values.length };
}

/** A day's rollup is what the file says. */
export async function assertDay(call: Call, item: string, points: Map<number, number>, startMs: number) {
  const times = { $gte: new Date(startMs).toISOString(), $lt: new Date(startMs + 86_400_000).toISOString() };
  const { data } = await call<{ data: Frame }>('service.dataFrame', {
    query: { filter: { id: item } },
    data: { filter: { times }, rollup: 'PT24H' },
  });
  assert.deepEqual(
    data.times.map((time) => Date.parse(time)),
    [startMs],
  );
  const expected = dayOf(points, startMs);
  assert.ok(expected.count > 0);
  for (const [statistic, value] of Object.entries(expected)) {
    const found = data.series[`${item}_${statistic}`][0]!;
    assert.ok(
      Math.abs(found - value) <= 1e-12 * Math.max(1, Math.abs(value)),
      `${statistic}: ${found} is not ${value}`,
    );
  }
}
