/** Coordination in one thread, and between threads: their tables and their ports, here within one thread. */
import { after } from 'node:test';
import { soleCoordination, threadCoordination } from '#threads/coordination';
import { FirstMember, FurtherMember } from '#threads/members';
import { NumberTables } from '#threads/number-table';
import { PortCalls } from '#threads/port-calls';
import { portTo } from '#threads/port-to';
import { FixedClock } from '../support/world.ts';
import { type MakeMembers, testCoordination } from './coordination.ts';

const newClock = () => new FixedClock();
const ports: PortCalls[] = [];
after(() => {
  for (const port of ports) port.close();
});

const makeThreads: MakeMembers = async (count, stopwatch) => {
  const tables = new NumberTables();
  const first = new FirstMember(count);
  const one = threadCoordination({ tables, members: first, stopwatch });
  const others = Array.from({ length: count - 1 }, (_, i) => {
    const member = new FurtherMember(count, i + 1);
    const [toOther, port] = portTo((end) => new PortCalls(end, first.serving));
    const toFirst = new PortCalls(port, member.serving);
    first.add(toOther);
    member.connect(toFirst);
    ports.push(toOther, toFirst);
    return member;
  });
  // A thread is started when the first one has made all tables.
  for (const policy of ['plan', 'other']) one.rates('plan', policy);
  one.windows('wrong secrets');
  one.attempts('name');
  one.values('last use');
  one.sums('points');
  return [
    one,
    ...others.map((member) =>
      threadCoordination({
        tables: new NumberTables(null, tables.buffers),
        members: member,
        stopwatch,
      }),
    ),
  ];
};

testCoordination('one thread', 1, newClock, async (_, clock) => [soleCoordination(clock)]);
testCoordination('threads', 3, newClock, makeThreads);
