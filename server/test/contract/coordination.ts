/** The contract of Coordination: any number of members count together, know of one another's changes, and answer questions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Coordination, Sharer } from '#storage/coordination';
import type { FixedClock } from '../support/world.ts';

/** Makes members of one service. */
export type MakeMembers = (count: number, clock: FixedClock) => Promise<Coordination[]>;

/** Tests an implementation with so many members. */
export function testCoordination(
  name: string,
  count: number,
  newClock: () => FixedClock,
  make: MakeMembers,
): void {
  const start = async () => {
    const clock = newClock();
    return { clock, members: await make(count, clock) };
  };
  const any = fc.nat({ max: count - 1 });

  test(`${name}: presence: members know how many they are, and have different places`, async () => {
    const { members } = await start();
    assert.deepEqual(
      members.map(({ members: { index } }) => index).sort(),
      members.map((_, i) => i),
    );
    assert.deepEqual(new Set(members.map((one) => one.members.count)), new Set([count]));
  });

  test(`${name}: L4a a rate admits its burst and what is refilled by all members`, async () => {
    const step = fc.record({ who: any, pauseS: fc.nat({ max: 3 }), count: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, members } = await start();
        const rates = members.map((member) => member.rates('plan'));
        const rate = { perSecond: 0.5, burst: 4 };
        let tokens = rate.burst;
        for (const { who, pauseS, count } of steps) {
          clock.advance(pauseS);
          tokens = Math.min(rate.burst, tokens + pauseS * rate.perSecond);
          const { waitS } = rates[who].take('a', rate, count);
          assert.equal(waitS === 0, tokens >= count, `${tokens} tokens`);
          if (waitS === 0) tokens -= count;
          else assert.ok(Math.abs(waitS - (count - tokens) / rate.perSecond) < 1e-6);
        }
      }),
      { numRuns: 50 },
    );
  });

  test(`${name}: rates of other names and keys are others`, async () => {
    const { members } = await start();
    const rate = { perSecond: 1, burst: 1 };
    const takes = members.flatMap((member, i) => [
      member.rates('plan').take(`key ${i}`, rate).waitS,
      member.rates('plan', 'other').take(`key ${i}`, rate).waitS,
    ]);
    assert.deepEqual(new Set(takes), new Set([0]));
  });

  test(`${name}: L4e events are counted together, and forgotten after a minute`, async () => {
    const { clock, members } = await start();
    const windows = members.map((member) => member.windows('wrong secrets'));
    for (const [i, window] of windows.entries()) assert.equal(window.add('a'), i + 1);
    clock.advance(45);
    for (const window of windows) assert.deepEqual(window.look('a'), { count, leftS: 15 });
    assert.deepEqual(windows[0].look('b'), { count: 0, leftS: 0 });
    clock.advance(15);
    for (const window of windows) assert.equal(window.look('a').count, 0);
  });

  test(`${name}: A5b attempts are counted together, until they are forgotten or too old`, async () => {
    const { clock, members } = await start();
    const attempts = members.map((member) => member.attempts('name'));
    clock.advance(10);
    for (const one of attempts) one.note('a', 60_000);
    for (const one of attempts) assert.deepEqual(one.of('a', 60_000), { count, lastMs: 10_000 });
    clock.advance(61);
    assert.equal(attempts[count - 1].of('a', 60_000).count, 0);
    attempts[0].note('a', 60_000);
    assert.equal(attempts[count - 1].of('a', 60_000).count, 1);
    attempts[count - 1].forget('a');
    assert.equal(attempts[0].of('a', 60_000).count, 0);
  });

  test(`${name}: values are those of all`, async () => {
    const { members } = await start();
    const values = members.map((member) => member.values('last use'));
    values[count - 1].set('a', 7);
    assert.deepEqual([values[0].of('a'), values[0].of('b')], [7, 0]);
    values[0].set('a', 0);
    assert.equal(values[count - 1].of('a'), 0);
  });

  test(`${name}: L4c sums have what every member has added, before and after it is stored`, async () => {
    const step = fc.record({ who: any, amount: fc.integer({ min: 0, max: 9 }), isSettled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { members } = await start();
        const sums = members.map((member) => member.sums('points'));
        const pending = members.map(() => 0);
        const known = members.map(() => 0);
        let stored = 0;
        let total = 0;
        for (const { who, amount, isSettled } of steps) {
          assert.equal(sums[who].add('day', known[who], amount), total);
          total += amount;
          pending[who] += amount;
          if (isSettled) {
            stored += pending[who];
            known[who] = stored;
            sums[who].settle('day', stored, pending[who]);
            pending[who] = 0;
          }
          for (const [i, sum] of sums.entries()) assert.equal(sum.of('day', known[i]), total);
        }
      }),
      { numRuns: 50 },
    );
  });

  test(`${name}: A1 a revision that was raised is known to all, and none goes back`, async () => {
    const { members } = await start();
    const revisions = () => members.map(({ notices }) => notices.revision('identity'));
    assert.deepEqual(new Set(revisions()), new Set([0]));
    members[count - 1].notices.raise('identity', 5);
    members[0].notices.raise('identity', 3);
    assert.deepEqual(new Set(revisions()), new Set([5]));
    assert.equal(members[0].notices.revision('plans'), 0);
  });

  test(`${name}: a question is answered by all, and by the first alone`, async () => {
    const { members } = await start();
    for (const { members: own } of members)
      own.answer('double', async (number: number) => [own.index, number * 2]);
    for (const { members: own } of members) {
      const answers = await own.ask<[number, number]>('double', 21);
      assert.deepEqual(
        answers.toSorted(([a], [b]) => a - b),
        members.map((_, i) => [i, 42]),
      );
      assert.deepEqual(await own.askFirst('double', 4), [0, 8]);
    }
  });

  test(`${name}: a member that cannot answer fails the question`, async () => {
    const { members } = await start();
    for (const { members: own } of members)
      own.answer('fail', () => {
        if (own.index === count - 1) throw new Error('out of order');
      });
    await assert.rejects(members[0].members.ask('fail'), /out of order/);
  });

  test(`${name}: exactly one member leads`, async () => {
    const { members } = await start();
    let leaderCount = 0;
    for (const member of members) {
      const begin = () => {
        leaderCount++;
      };
      member.lead(begin, () => assert.fail('nothing has ended'));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(leaderCount, 1);
  });
  test(`${name}: each of several things that are divided has one process`, async () => {
    const { members } = await start();
    const things = new Things(5);
    for (const [at, member] of members.entries()) member.divide('sessions', 5, things.sharer(at));
    assert.deepEqual(things.counts(members.length).sort(), [...members.slice(1).map(() => 0), 5]);
  });
}

/** Things that are divided; none may be had by two at one time. */
export class Things {
  readonly #owners: (number | null)[];
  #isChecking = true;

  constructor(count: number) {
    this.#owners = Array.from({ length: count }, () => null);
  }

  /** The sharer of one process. */
  sharer(process: number): Sharer {
    return {
      take: (index) => {
        if (!this.#isChecking) return;
        assert.equal(this.#owners[index], null, `thing ${index} is taken while another process has it`);
        this.#owners[index] = process;
      },
      leave: async (index) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!this.#isChecking) return;
        assert.equal(this.#owners[index], process);
        this.#owners[index] = null;
      },
    };
  }

  /** Checks nothing any more: when PostgreSQL fails, its locks end before their owners have noticed. */
  end(): void {
    this.#isChecking = false;
  }

  /** How many things each of so many processes has. */
  counts(processes: number): number[] {
    return Array.from({ length: processes }, (_, at) => this.#owners.filter((owner) => owner === at).length);
  }
}
