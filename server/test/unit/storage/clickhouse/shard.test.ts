/** Which statements are given to the servers of a shard once more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shard } from '#storage/clickhouse/cluster';
import { ServerFailure, Silence } from '#storage/clickhouse/failures';
import { tuningDefaults } from '#storage/clickhouse/options';
import { Server } from '#storage/clickhouse/server';
import { systemRandom } from '#system-environment';

const origin = 'http://127.0.0.1:1';
const ended = new ServerFailure(origin, new Error('read ECONNRESET'));
const silent = new ServerFailure(origin, new Silence('the server does not answer'));

for (const [servers, attemptsEnded, attemptsSilent] of [
  [1, 2, 1],
  [2, 3, 2],
])
  test(`a statement is tried ${attemptsEnded} times on ${servers} of which connections end, ${attemptsSilent} times on silent ones`, async () => {
    const shard = new Shard(1, 1, servers);
    const address = { origin, user: 'default', password: '', database: 'tidemark' };
    for (let i = 0; i < servers; i++) shard.servers.push(new Server(address, systemRandom, tuningDefaults));
    const attemptsOf = (failure: ServerFailure) =>
      [1, 2, 3, 4].find((made) => !shard.isWorthAnother(failure, made));
    assert.deepEqual([attemptsOf(ended), attemptsOf(silent)], [attemptsEnded, attemptsSilent]);
    await Promise.all(shard.servers.map((server) => server.close()));
  });
