/** Coordination between the threads of one process, of which there may be only one: tables in shared memory, and ports. */
import type { Stopwatch } from '#model/environment';
import type { Coordination, Members } from '#storage/coordination';
import { sharedAttempts } from './attempts.ts';
import { FirstMember } from './members.ts';
import { soleNode } from './node-group.ts';
import { NumberTables } from './number-table.ts';
import { sharedRates } from './rates.ts';
import { Revisions } from './revisions.ts';
import { sharedSums } from './sums.ts';
import { sharedValues } from './values.ts';
import { SharedWindows } from './windows.ts';

/** What {@link threadCoordination} is made of. */
export interface ThreadCoordinationOptions {
  tables: NumberTables;
  members: Members;
  /** The same in all threads. */
  stopwatch: Stopwatch;
}

/** Coordination as one thread uses it. */
export function threadCoordination({ tables, members, stopwatch }: ThreadCoordinationOptions): Coordination {
  return {
    members,
    nodes: soleNode(members),
    notices: new Revisions(tables),
    rates: (policy, name = policy) => sharedRates(tables, stopwatch, policy, name),
    windows: (name) => new SharedWindows(tables, stopwatch, name),
    attempts: (name) => sharedAttempts(tables, stopwatch, name),
    values: (name) => sharedValues(tables, name),
    sums: (name) => sharedSums(tables, name),
    lead(begin) {
      if (members.index === 0) begin(async () => true);
    },
    divide(_name, count, sharer) {
      if (members.index > 0) return;
      for (let index = 0; index < count; index++) sharer.take(index);
    },
  };
}

/** For a service with one thread, and for commands. */
export function soleCoordination(stopwatch: Stopwatch): Coordination {
  return threadCoordination({ tables: new NumberTables(), members: new FirstMember(), stopwatch });
}
