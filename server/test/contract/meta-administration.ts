/** What every MetaStore promises about plans, usage and the audit (storage/meta-store.ts), as one suite for all of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { everyRow } from '#domain/audit/record';
import { defaultPlanName, type Plan, unlimitedPlan } from '#model/plan';
import type { PublishRule } from '#model/publish-rule';
import { emptyTally, type Tally, tallied, type UsageRow } from '#model/usage';
import type { AuditQuery, AuditRow, MetaStore, MetaTopic } from '#storage/meta-store';
import { integration, item, newId, signal } from '../support/resources.ts';
import { openForSuite, type UnderTest } from './under-test.ts';

const full: Plan = {
  name: 'full',
  signalsMax: 2 ** 40,
  itemsMax: 0,
  pointsPerDayMax: 10,
  rates: new Map([
    ['integration.insert', { perSecond: 0.5, burst: 3 }],
    ['service.evaluate', { perSecond: 10, burst: 10 }],
  ]),
  isHard: false,
};

function tally(changes: Partial<Tally>): Tally {
  return { ...emptyTally(), ...changes };
}

function auditRow(seq: number, changes: Partial<AuditRow> = {}): AuditRow {
  return {
    seq,
    timeMs: seq * 1000,
    actor: 'cli:ann',
    origin: 'cli',
    action: 'plan.set',
    target: 'small',
    change: `{"signalsMax":[null,${seq}]}`,
    previous: `${seq - 1}`.padStart(64, '0'),
    hash: `${seq}`.padStart(64, '0'),
    ...changes,
  };
}

const every: AuditQuery = { ...everyRow, limit: 1000 };

/** Declares the suite for one kind of store. */
export function metaAdministrationContract(name: string, underTest: () => UnderTest<MetaStore>): void {
  describe(`MetaStore contract, administration: ${name}`, () => {
    let store: MetaStore;
    const kind = openForSuite(underTest(), (opened) => {
      store = opened;
    });

    const seqs = async (query: Partial<AuditQuery>) =>
      (await store.audit.list({ ...every, ...query })).map(({ seq }) => seq);

    it('L4 there is a default plan without limits', async () => {
      assert.deepEqual(await store.plans.all(), [unlimitedPlan(defaultPlanName)]);
    });

    it('L4 a plan is read back as it was written, changed and deleted', async () => {
      const topics = new Set<MetaTopic>();
      const end = store.subscribe((topic) => topics.add(topic));
      await store.write((tx) => tx.plans.insert(full));
      assert.deepEqual(await store.plans.all(), [unlimitedPlan(defaultPlanName), full]);
      const changed = { ...unlimitedPlan('full'), signalsMax: 3 };
      await store.write((tx) => tx.plans.update(changed));
      assert.deepEqual((await store.plans.all())[1], changed);
      assert.deepEqual(await store.plans.find(changed.name), changed);
      await assert.rejects(store.write((tx) => tx.plans.insert(full)));
      await store.write((tx) => tx.plans.delete('full'));
      assert.deepEqual(await store.plans.all(), [unlimitedPlan(defaultPlanName)]);
      end();
      assert.deepEqual([...topics], ['plans']);
    });

    it('L4 an integration keeps its plan', async () => {
      const mine = integration({ plan: 'small' });
      await store.write((tx) => tx.integrations.insert(mine));
      assert.deepEqual(
        (await store.integrations.all()).find(({ id }) => id === mine.id),
        mine,
      );
      await store.write((tx) => tx.integrations.update({ ...mine, plan: 'large' }));
      assert.equal((await store.integrations.all()).find(({ id }) => id === mine.id)?.plan, 'large');
    });

    it('L4b signals of an integration are counted, and the items that they feed', async () => {
      const mine = newId();
      const [a, b] = [item(), item()];
      await store.write(async (tx) => {
        await tx.items.insert([a, b]);
        const feeding = [a.id, a.id, b.id, null].map((id, i) => signal(mine, `s${i}`, { item: id }));
        await tx.signals.insert([...feeding, signal(newId(), 's0', { item: a.id })]);
        assert.deepEqual(await tx.signals.counts(mine), { signals: 4, items: 2 });
      });
      assert.deepEqual(await store.signals.counts(mine), { signals: 4, items: 2 });
      assert.deepEqual(await store.signals.counts(newId()), { signals: 0, items: 0 });
      const all = await store.signals.countsByIntegration();
      assert.deepEqual(all.get(mine), { signals: 4, items: 2 });
      assert.equal(all.has(newId()), false);
    });

    it('all signals are listed with their owners, by number', async () => {
      const [mine, other] = [newId(), newId()];
      const made = await store.write((tx) =>
        tx.signals.insert([signal(mine, 'o1'), signal(other, 'o1'), signal(mine, 'o2')]),
      );
      const owners = await store.signals.owners();
      assert.deepEqual(
        owners.filter(({ integration: of }) => of === mine || of === other),
        made.map(({ id, number, integration: of }) => ({ id, number, integration: of })),
      );
      const numbers = owners.map(({ number }) => number);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    });

    it('L4 usage is added up by integration and day; the sums are given back', async () => {
      const [mine, other] = [newId(), newId()].sort();
      const all = Object.fromEntries(tallied.map((name, i) => [name, 2 ** 33 + i])) as Tally;
      const first: UsageRow[] = [
        { integration: mine, day: 20_000, tally: all },
        { integration: other, day: 20_000, tally: tally({ points: 1 }) },
        { integration: mine, day: 19_999, tally: tally({ rejected: 7 }) },
      ];
      await store.write((tx) => tx.usage.add(first));
      const more = { integration: mine, day: 20_000, tally: tally({ points: 5, bytesIn: -1 }) };
      const sum = { ...all, points: all.points + 5, bytesIn: all.bytesIn - 1 };
      assert.deepEqual(await store.write((tx) => tx.usage.add([more])), [{ ...more, tally: sum }]);
      assert.deepEqual(await store.usage.list(mine, 0), [first[2], { ...more, tally: sum }]);
      assert.deepEqual(await store.usage.list(null, 20_000), [{ ...more, tally: sum }, first[1]]);
      await store.write((tx) => tx.usage.deleteBefore(20_000));
      assert.deepEqual(
        (await store.usage.list(null, 0)).map(({ day }) => day),
        [20_000, 20_000],
      );
      assert.deepEqual(await store.write((tx) => tx.usage.add([])), []);
      const many = Array.from({ length: 250 }, (_, i) => ({
        integration: newId(),
        day: 20_001,
        tally: tally({ points: i }),
      }));
      await store.write((tx) => tx.usage.add(many));
      const sums = await store.write((tx) => tx.usage.add(many));
      const total = sums.reduce((sum, { tally }) => sum + tally.points, 0);
      assert.deepEqual([sums.length, total], [250, 249 * 250]);
    });

    it('L4 a flush of usage is noted once, by its writer and number, with what its transaction adds', async () => {
      const [writer, other] = [newId(), newId()];
      const note = (number: number, of = writer, day = 20_000) =>
        store.write((tx) => tx.usage.noteFlush({ writer: of, number, day }));
      assert.deepEqual([await note(1), await note(1), await note(2)], [true, false, true]);
      assert.deepEqual([await note(1), await note(2), await note(1, other)], [false, false, true]);
      const twice = await Promise.all([note(3), note(3)]);
      assert.deepEqual(twice.sort(), [false, true]);
      const failed = store.write(async (tx) => {
        await tx.usage.noteFlush({ writer, number: 4, day: 20_000 });
        throw new Error('the transaction fails');
      });
      await assert.rejects(failed, /the transaction fails/);
      assert.equal(await note(4, writer, 20_001), true);
      await store.write((tx) => tx.usage.deleteBefore(20_001));
      assert.deepEqual([await note(4), await note(1, other)], [false, true]);
    });

    it('L4a rows of the audit are read back in both directions, by actor, action and target', async () => {
      const rows = [
        auditRow(1),
        auditRow(2, { actor: 'cli:bob' }),
        auditRow(3, { action: 'plan.assign', target: 'x' }),
        auditRow(4, { change: '{"a":"\u00e9\\u2028"}' }),
      ];
      await store.write(async (tx) => {
        for (const row of rows) await tx.audit.insert(row);
      });
      assert.deepEqual(await store.audit.list(every), rows);
      assert.deepEqual(await seqs({ isDescending: true, limit: 2 }), [4, 3]);
      assert.deepEqual(await seqs({ afterSeq: 2 }), [3, 4]);
      assert.deepEqual(await seqs({ isDescending: true, beforeSeq: 4, limit: 2 }), [3, 2]);
      assert.deepEqual(await seqs({ actor: 'cli:ann' }), [1, 3, 4]);
      assert.deepEqual(await seqs({ action: 'plan.assign' }), [3]);
      assert.deepEqual(await seqs({ target: 'small', actor: 'cli:bob' }), [2]);
    });

    it('L4a a seq cannot be taken twice, and a write that fails leaves no row', async () => {
      await assert.rejects(store.write((tx) => tx.audit.insert(auditRow(4))));
      const failing = store.write(async (tx) => {
        await tx.audit.insert(auditRow(5));
        throw new Error('stop');
      });
      await assert.rejects(failing, /stop/);
      assert.deepEqual(await seqs({}), [1, 2, 3, 4]);
    });

    it('L4a rows are forgotten from the beginning', async () => {
      await store.write((tx) => tx.audit.deleteThrough(2));
      assert.deepEqual(await seqs({}), [3, 4]);
    });

    it('L5 rules of retention are kept one for a scope, and replaced', async () => {
      const days = { kind: 'fixed', us: 864e8 * 40 } as const;
      const rules = [
        { scope: { kind: 'all' }, keep: null },
        { scope: { kind: 'integration', integration: 'x' }, keep: days },
        { scope: { kind: 'label', key: 'a/b', value: 'c=d:e' }, keep: { kind: 'calendar', months: 14 } },
      ] as const;
      await store.write(async (tx) => {
        for (const { scope } of rules) await tx.retentionRules.save({ scope, keep: days });
        for (const rule of rules) await tx.retentionRules.save(rule);
      });
      assert.deepEqual(await store.retentionRules.all(), rules);
      assert.deepEqual(await store.retentionRules.find(rules[1].scope), rules[1]);
      await store.write((tx) => tx.retentionRules.delete(rules[1].scope));
      assert.deepEqual(await store.retentionRules.all(), [rules[0], rules[2]]);
    });

    it('M3c sessions of the broker and what waits for them are read back, forgotten, and deleted with their integration', async () => {
      const mine = newId();
      const [first, second] = [`${mine}/a`, `${mine}/b`];
      const session = { id: first, integration: mine, owner: 'x', filters: [{ topic: 't', qos: 1 }] };
      const stored = { ...session, place: null, leftAtMs: null };
      const row = (id: string, lastSeq: number) => {
        return { session: id, lastSeq, count: 2, bytes: 10, messages: `[${lastSeq}]` };
      };
      await store.write(async ({ brokerSessions }) => {
        await brokerSessions.save(stored);
        await brokerSessions.save({ ...stored, id: second });
        await brokerSessions.append([row(first, 2), row(first, 4), row(second, 2), row(first, 6)]);
      });
      const ofMine = async () =>
        (await store.brokerSessions.all()).filter(({ integration }) => integration === mine);
      assert.deepEqual(await ofMine(), [stored, { ...stored, id: second }]);
      assert.deepEqual(await store.brokerSessions.queued(first, 2, 1), [row(first, 4)]);
      const changed = { ...stored, owner: 'y', place: '1.a', leftAtMs: 5, filters: [] };
      const owned = await store.write(async ({ brokerSessions }) => {
        await brokerSessions.forget(first, 4);
        await brokerSessions.save({ ...changed, integration: newId() });
        return brokerSessions.ownedBy('x', [first, second, newId()]);
      });
      assert.deepEqual([...owned], [second]);
      assert.deepEqual(await store.brokerSessions.find(first), changed);
      const sums = (await store.brokerSessions.queueSums()).filter(({ session: id }) => id.startsWith(mine));
      sums.sort((a, b) => (a.session < b.session ? -1 : 1));
      assert.deepEqual(sums, [
        { session: first, lastSeq: 6, count: 2, bytes: 10 },
        { session: second, lastSeq: 2, count: 2, bytes: 10 },
      ]);
      await store.write((tx) => tx.brokerSessions.delete(second));
      assert.deepEqual(await store.brokerSessions.queued(second, 0, 10), []);
      await store.write((tx) => tx.integrations.deleteWithSignals(mine));
      assert.deepEqual(await ofMine(), []);
      assert.deepEqual(await store.brokerSessions.queued(first, 0, 10), []);
    });

    it('P1 publishing rules are kept as they are, and replaced', async () => {
      const [first, second] = [newId(), newId()].sort();
      const rule: PublishRule = {
        id: second,
        name: 'north',
        position: 7,
        isEnabled: true,
        integration: null,
        filter: { op: 'in', path: { field: 'labels', key: '__proto__' }, values: ['a', null, 1, true] },
        filterText: '{"labels.__proto__":{"$in":["a",null,1,true]}}',
        item: {
          name: '{name}',
          description: null,
          engUnit: '',
          visible: false,
          copyLabels: true,
          labels: [
            ['__proto__', '{labels.x}'],
            ['gone', null],
          ],
          enumValues: null,
        },
        maps: [['__proto__', [['constructor', 'é']]]],
        joins: null,
        overwrite: true,
        createdAtMs: 5,
        updatedAtMs: 6,
      };
      const other: PublishRule = {
        ...rule,
        id: first,
        integration: newId(),
        joins: { kind: 'key', key: 'k' },
      };
      await store.write(async (tx) => {
        await tx.publishRules.save(rule);
        await tx.publishRules.save(other);
      });
      assert.deepEqual(await store.publishRules.all(), [other, rule]);
      const changed: PublishRule = { ...rule, name: 'south', isEnabled: false, updatedAtMs: 9 };
      await store.write((tx) => tx.publishRules.save({ ...changed, createdAtMs: 8 }));
      assert.deepEqual(await store.publishRules.find(second), changed);
      await store.write((tx) => tx.publishRules.delete(first));
      assert.deepEqual(await store.publishRules.all(), [changed]);
    });

    it('L5 the rule of an integration goes with it', async () => {
      const gone = integration();
      const scope = { kind: 'integration', integration: gone.id } as const;
      await store.write((tx) => tx.integrations.insert(gone));
      await store.write((tx) => tx.retentionRules.save({ scope, keep: null }));
      await store.write((tx) => tx.integrations.deleteWithSignals(gone.id));
      assert.equal((await store.retentionRules.all()).length, 2);
    });

    it('L4a plans, usage and the audit outlive the process', async () => {
      await store.write((tx) => tx.plans.insert(full));
      const before = [
        await store.plans.all(),
        await store.usage.list(null, 0),
        await store.audit.list(every),
      ];
      store = await kind.reopen();
      assert.deepEqual(
        [await store.plans.all(), await store.usage.list(null, 0), await store.audit.list(every)],
        before,
      );
    });
  });
}
