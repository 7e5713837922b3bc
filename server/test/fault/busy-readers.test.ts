/** Reads that keep every reader busy for long: identities are followed all the same. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { IdentityCache } from '#domain/identity/identity-cache';
import type { Filter } from '#model/filter';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { attributes, credential, integration, signal } from '../support/resources.ts';
import { startService } from '../support/service.ts';
import { silentLog as log } from '../support/world.ts';

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

/** A slow pattern of nearly the largest size. */
const pattern: Filter = { op: 'regex', path: { field: 'description' }, pattern: 'a[ab]{290}[!?]' };

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
    await tx.integrations.insert(owner);
    await tx.credentials.insert(revoked);
    await tx.signals.insert(signals);
  });
  const cache = new IdentityCache(service.meta, log);
  await cache.reload();
  assert.ok(cache.credential(revoked.id));

  const busy = keepBusy();
  await command.meta.write((tx) => tx.credentials.delete(revoked.id));
  await until('the revocation', async () => cache.credential(revoked.id) === undefined);
  busy.check();
  await cache.close();
  await busy.end();
});

it('A1 a grant that another process revokes, and an integration that it disables, are refused while the readers are busy', async (t) => {
  const wire = await startService({ meta: service.meta, series: service.series });
  const description = 'ab'.repeat(500);
  const texts = Array.from({ length: 500 }, (_, i) =>
    signal(wire.integration, `text${i}`, { attributes: attributes({ description }) }),
  );
  await service.meta.write((tx) => tx.signals.insert(texts));
  const [owner] = (await wire.identity.listIntegrations()).filter(({ id }) => id === wire.integration);
  const busy = keepBusy();
  t.after(async () => {
    await busy.end();
    await wire.close();
  });
  // Without its parameters the call reads nothing: it is refused for them while the grant holds.
  const call = () => wire.call('admin.selectSignals', {});
  assert.equal((await call()).error?.code, -32602);
  await command.meta.write((tx) => tx.integrations.update({ ...owner, grants: [] }));
  await until('the revocation', async () => (await call()).error?.code === -32003);
  await command.meta.write((tx) => tx.integrations.update({ ...owner, disabledAtMs: 1000 }));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'admin.selectSignals', params: {} });
  await until('the disabling', async () => (await wire.post(body)).status === 401);
  busy.check();
});

/** Keeps all readers, and the thread for patterns, at work on the largest searches that are permitted. */
function keepBusy(): { check(): void; end(): Promise<void> } {
  let answered = 0;
  const ended = new AbortController();
  const query = { sort: [], limit: 1, skip: 0, total: true };
  const filters = [
    ...Array.from({ length: 200 }, () => filter),
    ...Array.from({ length: 20 }, () => pattern),
  ];
  const reads = filters.map(async (filter) => {
    await service.meta.signals.select({ ...query, filter }, null, ended.signal);
    answered++;
  });
  const settled = Promise.allSettled(reads);
  return {
    check: () => assert.ok(answered < reads.length, 'the readers were not busy any more'),
    async end() {
      ended.abort(new Error('enough'));
      await settled;
    },
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    assert.ok(tries < 100, `${what} was not noticed`);
    await wait(20);
  }
}
