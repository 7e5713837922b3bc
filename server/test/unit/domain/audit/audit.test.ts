/** The audit (L4a): what acts leave in it, and what its chain shows. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { Audit } from '#domain/audit/audit';
import { canonicalJson, type Json } from '#domain/audit/canonical';
import { auditView, ChainWalk, hashOf } from '#domain/audit/chain';
import { changesOf, everyRow, record } from '#domain/audit/record';
import type { AuditRow } from '#storage/meta-store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { FixedClock, KeptLog, testAct } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let clock: FixedClock;
let audit: Audit;

beforeEach(() => {
  meta = new MemoryMetaStore();
  clock = new FixedClock();
  audit = new Audit({ meta, clock, log: new KeptLog() });
});

async function act(count = 1, change: Json = { name: [null, 'x'] }): Promise<void> {
  for (let i = 0; i < count; i++) {
    await meta.write((tx) => record(tx, testAct, clock, { action: 'plan.set', target: 'small', change }));
  }
}

const rows = () => meta.audit.list({ ...everyRow, limit: 10_000 });

/** What a walk over rows finds first; null: all is well. */
function problemOf(all: readonly AuditRow[]): string | null {
  const walk = new ChainWalk(null);
  for (const row of all) {
    const problem = walk.step(row);
    if (problem !== null) return `${row.seq}: ${problem}`;
  }
  const end = walk.end();
  return end.ok ? null : `${end.seq}: ${end.problem}`;
}

describe('chain', () => {
  it('L4a a row can be checked with nothing but SHA-256 and sorted JSON', async () => {
    await act(2, { b: [1, { z: '"\u2028', a: [] }], a: [null, true] });
    const [first, second] = await rows();
    assert.equal(first.previous, '0'.repeat(64));
    assert.equal(second.previous, first.hash);
    const text =
      `{"action":"plan.set","actor":"cli:test","change":{"a":[null,true],"b":[1,{"a":[],"z":"\\"\u2028"}]},` +
      `"origin":"test","previous":"${first.hash}","seq":2,"target":"small","time":"2026-03-01T12:00:00.000Z"}`;
    assert.equal(second.hash, hash('sha256', text, 'hex'));
  });

  it('L4a canonical JSON is JSON with sorted keys, whatever the order was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as Json);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
        assert.equal(canonicalJson(reversed(value as Json)), text);
      }),
    );
  });

  it('L4a every change of a row is found', async () => {
    await act(3);
    const all = await rows();
    const other: Record<keyof AuditRow, unknown> = {
      seq: 7,
      timeMs: 1,
      actor: 'cli:else',
      origin: 'else',
      action: 'plan.create',
      target: 'large',
      change: '{"name":[null,"y"]}',
      previous: 'f'.repeat(64),
      hash: 'f'.repeat(64),
    };
    assert.equal(problemOf(all), null);
    for (const [field, value] of Object.entries(other)) {
      for (const i of [0, 1, 2]) {
        const changed = all.map((row, at) => (at === i ? { ...row, [field]: value } : row));
        assert.notEqual(problemOf(changed), null, `${field} of row ${i + 1}`);
      }
    }
    const broken = { ...all[1], change: 'no JSON' };
    assert.match(problemOf([all[0], broken, all[2]]) ?? '', /^2: its content/);
  });

  it('L4a rows that are missing, twice, or in another order are found', async () => {
    await act(4);
    const [a, b, c, d] = await rows();
    assert.match(problemOf([a, b, d]) ?? '', /^4: the row before it, 3, is missing/);
    assert.match(problemOf([b, c, d]) ?? '', /^1: the rows up to it are missing without/);
    assert.match(problemOf([a, b, b, c, d]) ?? '', /^2: /);
    assert.match(problemOf([a, c, b, d]) ?? '', /^3: /);
    const forged = { ...c, actor: 'cli:else' };
    const consistent = { ...forged, hash: hashOf(forged) };
    assert.match(problemOf([a, b, consistent, d]) ?? '', /^4: its previous hash does not match/);
  });

  it('L4a an end that was cut off is found by who has kept the head', async () => {
    await act(3);
    const verdict = await audit.verify();
    assert.ok(verdict.ok);
    assert.equal(verdict.head.seq, 3);
    await act(1);
    assert.deepEqual(await audit.verify(verdict.head), {
      ...verdict,
      rows: 4,
      head: { seq: 4, hash: (await rows())[3].hash },
    });
    const other = { seq: 3, hash: 'e'.repeat(64) };
    assert.deepEqual(await audit.verify(other), {
      ok: false,
      seq: 3,
      problem: 'its hash differs from the expected one',
    });
    const later = { seq: 9, hash: 'e'.repeat(64) };
    assert.deepEqual(await audit.verify(later), {
      ok: false,
      seq: 9,
      problem: 'it was expected, and is missing',
    });
  });
});

describe('pruning', () => {
  it('L4a what is left after a pruning can be verified from its row, also after the next one', async () => {
    await act(3);
    clock.advance(10 * 86_400);
    await act(2);
    assert.equal(await audit.prune(testAct, 5), 3);
    const left = await rows();
    assert.deepEqual(
      left.map(({ seq, action }) => [seq, action]),
      [
        [4, 'plan.set'],
        [5, 'plan.set'],
        [6, 'audit.prune'],
      ],
    );
    const verdict = await audit.verify();
    assert.ok(verdict.ok && verdict.firstSeq === 4 && verdict.rows === 3);
    assert.ok((await audit.verify({ seq: 2, hash: 'a'.repeat(64) })).ok, 'a head that was pruned');
    assert.match(problemOf(left.slice(1)) ?? '', /^4: the rows up to it are missing/);
    clock.advance(10 * 86_400);
    await act(1);
    assert.equal(await audit.prune(testAct, 5), 3);
    assert.ok((await audit.verify()).ok);
    assert.deepEqual(
      (await rows()).map(({ seq }) => seq),
      [7, 8],
    );
  });

  it('L4a where nothing is old enough nothing is forgotten, and no row is left', async () => {
    await act(2);
    assert.equal(await audit.prune(testAct, 1), 0);
    assert.equal((await rows()).length, 2);
    assert.equal(
      await new Audit({ meta: new MemoryMetaStore(), clock, log: new KeptLog() }).prune(testAct, 1),
      0,
    );
  });

  it('L4a a clock that was set back makes no hole', async () => {
    await act(1);
    clock.advance(-100 * 86_400);
    await act(1);
    clock.advance(100 * 86_400);
    await act(1);
    assert.equal(await audit.prune(testAct, 10), 0);
    assert.equal((await rows()).length, 3);
  });

  it('L4a the service forgets by itself what is too old', async () => {
    await act(2);
    clock.advance(40 * 86_400);
    await act(1);
    audit.keepFor(30);
    await audit.close();
    const [, pruned] = await rows();
    assert.deepEqual([pruned.action, pruned.actor, (await rows()).length], ['audit.prune', 'service', 2]);
  });

  it('L4a how long it keeps them can be changed while it runs; 0 keeps all', async () => {
    await act(2);
    clock.advance(40 * 86_400);
    audit.keepFor(50);
    audit.keepFor(0);
    assert.equal((await rows()).length, 2);
    audit.keepFor(30);
    await audit.close();
    assert.deepEqual(
      (await rows()).map(({ action }) => action),
      ['audit.prune'],
    );
  });
});

describe('noting', () => {
  it('L4a an act that changes nothing else in the store has its row in the chain', async () => {
    await act();
    await audit.note(testAct, { action: 'store.restore', target: 'store', change: { backup: 'a.db' } });
    const [, row] = await rows();
    assert.deepEqual([row.seq, row.action, row.actor], [2, 'store.restore', testAct.actor]);
    assert.equal(problemOf(await rows()), null);
  });
});

describe('reading', () => {
  it('L4a rows are listed newest first, and read whole in pages', async () => {
    await act(1001);
    assert.deepEqual(
      (await audit.list({ limit: 2 })).map(({ seq }) => seq),
      [1001, 1000],
    );
    assert.deepEqual(await audit.list({ limit: 10, actor: 'nobody' }), []);
    const seqs: number[] = [];
    for await (const { seq } of audit.rows()) seqs.push(seq);
    assert.deepEqual(
      seqs,
      Array.from({ length: 1001 }, (_, i) => i + 1),
    );
  });

  it('L4a a view has exactly the documented members', async () => {
    await act();
    const [row] = await rows();
    const members = ['seq', 'time', 'actor', 'origin', 'action', 'target', 'change', 'previous'];
    assert.deepEqual(Object.keys(auditView(row)), members);
  });
});

it('L4a a change has the fields that differ, with what was and what is', () => {
  const before = { a: 1, b: ['x', 'y'], c: null, d: 'gone' };
  const after = { a: 1, b: ['x'], c: null, e: 'new' };
  assert.deepEqual(changesOf(before, after), {
    b: [['x', 'y'], ['x']],
    d: ['gone', null],
    e: [null, 'new'],
  });
});

/** The same value with the keys of its objects in the opposite order. */
function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
