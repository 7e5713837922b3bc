/** Editing single fields of signals (R8a), on the memory store. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { everyRow } from '#domain/audit/record';
import type { SignalChange } from '#domain/signals/change';
import type { ResourceEdit } from '#domain/signals/edit';
import { Signals } from '#domain/signals/signals';
import { AppError } from '#model/error';
import { XidSource } from '#model/xid';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { newId, query } from '../../../support/resources.ts';
import { FixedClock, SeededRandom, testAct } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let clock: FixedClock;
let signals: Signals;
const mine = newId();

beforeEach(async () => {
  meta = new MemoryMetaStore();
  clock = new FixedClock();
  signals = new Signals({ meta, clock, ids: new XidSource(clock, new SeededRandom(77)) });
  const labels = new Map([
    ['site', ['x']],
    ['unit', ['1', '2']],
  ]);
  const full = {
    name: 'A',
    description: 'first',
    valueType: 'enum',
    engUnit: 'm',
    sampleIntervalUs: 60e6,
    labels,
    enumValues: new Map([['0', 'off']]),
    annotations: new Map([['k', 'v']]),
  };
  await signals.save(
    mine,
    new Map<string, SignalChange>([
      ['a', full],
      ['b', {}],
    ]),
    { createOnly: false },
  );
  await signals.save(newId(), new Map([['a', {}]]), { createOnly: false });
});

async function edit(change: ResourceEdit, dryRun = false) {
  clock.advance(1);
  return signals.editSignals(testAct, mine, query(), change, { dryRun });
}

async function stored(input: string) {
  const [found] = await meta.signals.byInput(mine, [input]);
  return found;
}

test('R8a what the edit does not name stays, and entries of maps are put or removed', async () => {
  const before = await stored('a');
  const { edited, total } = await edit({
    engUnit: 'mm',
    sampleIntervalUs: null,
    labels: new Map<string, string[] | null>([
      ['site', null],
      ['area', ['b', 'a']],
    ]),
    enumValues: new Map([['1', 'on']]),
    annotations: new Map([['k', '']]),
  });
  const after = await stored('a');
  assert.deepEqual(after, {
    ...before,
    attributes: {
      ...before.attributes,
      engUnit: 'mm',
      sampleIntervalUs: null,
      labels: new Map([
        ['area', ['a', 'b']],
        ['unit', ['1', '2']],
      ]),
      enumValues: new Map([
        ['0', 'off'],
        ['1', 'on'],
      ]),
    },
    annotations: new Map(),
    updatedAtMs: before.updatedAtMs + 1000,
  });
  assert.deepEqual([edited.length, edited[0]?.before, edited[0]?.after], [2, before, after]);
  assert.equal(total === null || total === 2, true);
});

test('R8a a dry run answers the same and changes nothing; what changes nothing writes nothing', async () => {
  const before = await stored('a');
  const tried = await edit({ engUnit: 'mm' }, true);
  assert.equal(tried.edited[0]?.after.attributes.engUnit, 'mm');
  assert.deepEqual(await stored('a'), before);
  const same = await edit({ name: 'A', labels: new Map([['site', ['x', 'x']]]) });
  assert.equal(same.edited[0]?.after, same.edited[0]?.before);
  assert.deepEqual(await stored('a'), before);
  assert.equal((await meta.audit.list({ ...everyRow, limit: 10 })).length, 1);
});

test('R8a, L4a each signal that changes is in the audit, those of other integrations are left alone', async () => {
  await edit({ engUnit: 'K' });
  const rows = await meta.audit.list({
    isDescending: true,
    afterSeq: 0,
    limit: 1,
    actor: null,
    action: 'signals.edit',
    target: mine,
  });
  const { signals: changes } = JSON.parse(rows[0]!.change);
  assert.deepEqual(changes, {
    [(await stored('a')).id]: { engUnit: ['m', 'K'] },
    [(await stored('b')).id]: { engUnit: [null, 'K'] },
  });
  const { records } = await meta.signals.select(query(), null);
  assert.equal(records.filter(({ attributes }) => attributes.engUnit === '').length, 1);
});

test('R8a what is not valid is refused by path, and nothing is written', async () => {
  const before = await stored('a');
  await assert.rejects(
    edit({ name: '', labels: new Map([['a b', null]]), enumValues: new Map([['x', null]]) }),
    (error) => {
      assert.ok(error instanceof AppError && error.kind === 'invalid-params');
      assert.deepEqual(Object.keys(error.params ?? {}), [
        'change.name',
        'change.labels.a b',
        'change.enumValues.x',
      ]);
      return true;
    },
  );
  const many = Array.from({ length: 999 }, (_, i) => String(i));
  await assert.rejects(
    edit({ labels: new Map([['area', many]]) }),
    (error) =>
      error instanceof AppError && error.kind === 'invalid-resource' && /: labels must/.test(error.message),
  );
  assert.deepEqual(await stored('a'), before);
});

test('R8a items are edited too, those that no signal feeds as well, and their flag with them', async () => {
  const a = await stored('a');
  const saved = await signals.publish(testAct, mine, new Map([[a.id, { name: 'Item' }]]), {
    createOnly: false,
  });
  await signals.connect(testAct, mine, query(), null, { dryRun: false });
  const id = saved.get(a.id)?.id ?? '';
  clock.advance(1);
  const [before] = await meta.items.byId([id]);
  const edit = { visible: true, labels: new Map([['site', ['x']]]) };
  const { edited } = await signals.editItems(testAct, query(), edit, { dryRun: false });
  const [after] = await meta.items.byId([id]);
  assert.deepEqual([after!.visible, after!.attributes.name], [true, 'Item']);
  assert.deepEqual(after!.attributes.labels, new Map([['site', ['x']]]));
  assert.deepEqual(edited, [{ before, after }]);
  const [row] = await meta.audit.list({
    isDescending: true,
    afterSeq: 0,
    limit: 1,
    actor: null,
    action: 'items.edit',
    target: 'items',
  });
  assert.deepEqual(JSON.parse(row!.change).items, {
    [id]: { 'labels.site': [null, ['x']], visible: [null, true] },
  });
  const again = await signals.editItems(testAct, query(), { visible: true }, { dryRun: false });
  assert.equal(again.edited[0]?.after, again.edited[0]?.before);
});
