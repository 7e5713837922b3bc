/** Connections: a share for each address, and who gives way when there are too many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Connection, Connections } from '#load/connections';

function open(connectionsPerAddressMax = 100) {
  const limits = { connectionsMax: 8, connectionsPerAddressMax, integrationSharePercent: 75 };
  const connections = new Connections(limits);
  const cut: string[] = [];
  const from = (address: string, count: number): (Connection | null)[] =>
    Array.from({ length: count }, (_, k) =>
      connections.open(address, false, () => cut.push(`${address} ${k}`)),
    );
  return { connections, cut, from };
}

test('E3b an address has its share, a proxy of many clients has no share of its own', () => {
  const { connections, from } = open();
  assert.equal(from('a', 9).filter((connection) => connection !== null).length, 6);
  assert.notEqual(
    connections.open('a', true, () => {}),
    null,
  );
  assert.ok(!connections.isCrowded);
});

test('E3b an address has at most so many connections, also where its share is larger', () => {
  const { from } = open(3);
  assert.equal(from('a', 9).filter((connection) => connection !== null).length, 3);
  assert.equal(from('b', 9).filter((connection) => connection !== null).length, 3);
});

test('E3b when all are taken, the oldest idle one of the address with the most gives way', () => {
  const { connections, cut, from } = open();
  const many = from('a', 6);
  from('b', 2);
  (many[0] as Connection).isKnown = true;
  (many[1] as Connection).requestCount = 1;
  assert.ok(connections.isCrowded);
  assert.ok(from('c', 1)[0]);
  assert.deepEqual(cut, ['a 2']);
  assert.equal(connections.count, 8);
});

test('E3b where each connection works or its client is known, the new one is refused', () => {
  const { cut, from } = open();
  for (const connection of [...from('a', 4), ...from('b', 4)]) (connection as Connection).isKnown = true;
  assert.deepEqual(from('c', 1), [null]);
  assert.deepEqual(cut, []);
});

test('E3b a connection that ends twice is counted once', () => {
  const { connections, from } = open();
  const [connection] = from('a', 2);
  connections.close(connection as Connection);
  connections.close(connection as Connection);
  assert.equal(connections.count, 1);
});
