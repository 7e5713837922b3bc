/** Bodies of several clients that are read at the same time, in steps that take turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hold } from '#load/hold';
import type { Columns } from '#model/frame';
import { runAtOnce, runSteps } from '#model/steps';
import { HeadMemory } from '#protocol/line-protocol/head-memory';
import { LineReader } from '#protocol/line-protocol/line-reader';
import type { Call } from '#protocol/method';
import { RowsWriter } from '#protocol/series/rows-writer';

const hosts = 100;
const fields = ['a', 'b', 'c'];

function valueOfField(host: number, second: number, field: string): number {
  return host * 1e6 + second * 10 + fields.indexOf(field);
}

/** Lines of all hosts at 50 seconds from one on; hosts and fields in an order that depends on it. */
function bodyOf(from: number): Buffer {
  const turned = [...fields.slice(from % 3), ...fields.slice(0, from % 3)];
  const lines = Array.from({ length: 50 * hosts }, (_, i) => {
    const [host, second] = [
      from % 2 === 0 ? i % hosts : hosts - 1 - (i % hosts),
      from + Math.floor(i / hosts),
    ];
    return `m,host=h${host} ${turned.map((field) => `${field}=${valueOfField(host, second, field)}`)} ${second}`;
  });
  return Buffer.from(lines.join('\n'));
}

/** Every point of frames: the input key, the second, the value. */
function pointsOf({ timesUs, keys, values }: Columns): string[] {
  return keys.flatMap((key, column) =>
    [...timesUs].map((us, row) => `${key} ${us / 1e6} ${values[column * timesUs.length + row]}`),
  );
}

test('I2 bodies that are read at the same time keep every point in its series', async () => {
  const points: string[] = [];
  const writer = new RowsWriter({
    limits: { signalsPerCallMax: 10_000 },
    writer: {
      insertAll: async (_, frames) => void points.push(...frames.flatMap(pointsOf)),
      states: async () => new Map(),
    },
  });
  const ticket = { step: runAtOnce, account: null };
  const call = { caller: { integration: 'i' }, ticket } as unknown as Call;
  const hold = { change() {} } as unknown as Hold;
  const memory = new HeadMemory();
  const write = (body: Buffer) => {
    const reader = new LineReader(body, memory, { precision: 's', nowUs: null });
    return writer.write({ call, hold, heldBytes: 0 }, () => runSteps(reader.read(), runAtOnce));
  };
  const froms = [0, 61, 122, 183];
  const written = await Promise.all(froms.map((from) => write(bodyOf(from))));
  assert.deepEqual(
    written.map((body) => body.points),
    froms.map(() => 50 * hosts * fields.length),
  );
  const expected = froms.flatMap((from) =>
    Array.from({ length: 50 * hosts * fields.length }, (_, i) => {
      const field = fields[i % fields.length];
      const host = Math.floor(i / fields.length) % hosts;
      const second = from + Math.floor(i / (fields.length * hosts));
      return `m/host:h${host}#${field} ${second} ${valueOfField(host, second, field)}`;
    }),
  );
  assert.equal(points.sort().join('\n'), expected.sort().join('\n'));
});
