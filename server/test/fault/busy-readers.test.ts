/** Reads that keep every reader busy for long: identities are followed all the same. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Roster } from '#domain/identity/roster';
import type { Filter } from '#model/filter';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { credential, integration, signal } from '../support/resources.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const options = { clock: { nowUs: () => 0 }, log, limits: limitDefaults };

/** As many comparisons as a query may have, none of which an index answers. */
const filter: Filter = {
  op: 'or',
  filters: Array.from({ length: limitDefaults.filterTermsMax }, (_, i) => ({
    op: 'eq',
    path: { field: 'description' },
    value: `no description ${i}`,
  })),
};

let directory: string;
let service: SqliteStore;
let command: SqliteStore;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-busy-'));
  service = await openSqlite({ ...options, directory, serving: true, readerCount: 2 });
  command = await openSqlite({ ...options, directory });
});
after(async () => {
  await service.close();
  await command.close();
  await rm(directory, { recursive: true });
});

it('A1 a credential that another process revokes is gone while the readers are busy with the largest reads', async () => {
  const owner = integration();
  const revoked = credential(owner.id);
  const signals = Array.from({ length: 500 }, (_, i) => signal(owner.id, `input${i}`));
  await service.meta.write(async (tx) => {
    await tx.insertIntegration(owner);
    await tx.insertCredential(revoked);
    await tx.insertSignals(signals);
  });
  const roster = new Roster(service.meta, log);
  await roster.reload();
  assert.ok(roster.credential(revoked.id));

  let answered = 0;
  const ended = new AbortController();
  const query = { filter, sort: [], limit: 1, skip: 0, total: true };
  const reads = Array.from({ length: 200 }, async () => {
    await service.meta.selectSignals(query, null, ended.signal);
    answered++;
  });
  await command.meta.write((tx) => tx.deleteCredential(revoked.id));
  for (let rounds = 0; roster.credential(revoked.id) !== undefined; rounds++) {
    assert.ok(rounds < 100, 'the revocation was not noticed');
    await wait(20);
  }
  assert.ok(answered < reads.length, 'the readers were not busy any more');
  await roster.close();
  ended.abort(new Error('enough'));
  await Promise.allSettled(reads);
});
