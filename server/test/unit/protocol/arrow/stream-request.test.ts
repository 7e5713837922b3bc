/** Calls whose data frame is an Arrow stream: the memory of the columns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Int8, vectorFromArray } from 'apache-arrow';
import { limitDefaults } from '#model/limits';
import { StreamRequestReader } from '#protocol/arrow/stream-request';
import { streamOf, timeVector } from '../../../support/arrow.ts';
import { newLoad } from '../../../support/load.ts';

const limits = { ...limitDefaults, requestMemoryBytesMax: 16 * 1024 * 1024 };
const query = new URLSearchParams({ method: 'integration.insert' });

function newReader(): StreamRequestReader {
  return new StreamRequestReader({ takesColumns: () => true, limits });
}

test('E3b a stream waits for the memory of its columns, eight times that of int8, before they are read', async () => {
  const load = newLoad(limits);
  const ticketOf = (client: string) => load.open(client, () => new AbortController().signal);
  const [other, own] = [ticketOf('192.0.2.1'), ticketOf('192.0.2.1')];
  const held = other.hold('parsed');
  while (held.tryTake(64 * 1024));
  const rows = 5000;
  const column = () =>
    vectorFromArray(
      Array.from({ length: rows }, (_, row) => row % 100),
      new Int8(),
    );
  const times = timeVector(Array.from({ length: rows }, (_, row) => row));
  const bytes = Buffer.from(streamOf({ time: times, a: column(), b: column() }));
  let isRead = false;
  const reading = newReader()
    .read(bytes, query, own)
    .finally(() => {
      isRead = true;
    });
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.equal(isRead, false);
  assert.equal(load.waitingCount('parsed'), 1);
  held.leave();
  const { columns } = await reading;
  assert.equal(columns?.bytes, 3 * 8 * rows);
  assert.equal(load.takenBytes('parsed'), columns.bytes);
  own.close();
  assert.equal(load.takenBytes('parsed'), 0);
});

test('E3b a stream that is no frame takes no memory', async () => {
  const load = newLoad(limits);
  const ticket = load.open('192.0.2.1', () => new AbortController().signal);
  const cut = Buffer.from(streamOf({ time: timeVector([1]) }).subarray(0, -1));
  const { columns } = await newReader().read(cut, query, ticket);
  assert.equal(columns, null);
  assert.equal(load.takenBytes('parsed'), 0);
});
