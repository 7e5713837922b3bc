/** Coordination between the threads of one process, of which there may be only one: tables in shared memory, and ports. */
import type { Stopwatch } from '#model/environment';
import type { RateStatus } from '#model/rate-status';
import type {
  Attempts,
  Coordination,
  Leads,
  Members,
  NodeGroup,
  Notices,
  Rates,
  Sharer,
  Sums,
  Values,
  Windows,
} from '#storage/coordination';
import { SharedAttempts } from './attempts.ts';
import { FirstMember } from './members.ts';
import { soleNode } from './node-group.ts';
import { NumberTables } from './number-table.ts';
import { SharedRates } from './rates.ts';
import { Revisions } from './revisions.ts';
import { SharedSums } from './sums.ts';
import { SharedValues } from './values.ts';
import { SharedWindows } from './windows.ts';

/** What {@link ThreadCoordination} is made of. */
export interface ThreadCoordinationOptions {
  tables: NumberTables;
  members: Members;
  /** The same in all threads. */
  stopwatch: Stopwatch;
}

/** Coordination as one thread uses it. */
export class ThreadCoordination implements Coordination {
  readonly members: Members;
  readonly notices: Notices;
  readonly nodes: NodeGroup;
  readonly #tables: NumberTables;
  readonly #stopwatch: Stopwatch;

  constructor({ tables, members, stopwatch }: ThreadCoordinationOptions) {
    this.members = members;
    this.nodes = soleNode(members);
    this.notices = new Revisions(tables);
    this.#tables = tables;
    this.#stopwatch = stopwatch;
  }

  rates(policy: RateStatus['policy'], name: string = policy): Rates {
    return new SharedRates(this.#tables, this.#stopwatch, policy, name);
  }

  windows(name: string): Windows {
    return new SharedWindows(this.#tables, this.#stopwatch, name);
  }

  attempts(name: string): Attempts {
    return new SharedAttempts(this.#tables, this.#stopwatch, name);
  }

  values(name: string): Values {
    return new SharedValues(this.#tables, name);
  }

  sums(name: string): Sums {
    return new SharedSums(this.#tables, name);
  }

  lead(begin: (leads: Leads) => void): void {
    if (this.members.index === 0) begin(async () => true);
  }

  divide(_name: string, count: number, sharer: Sharer): void {
    if (this.members.index > 0) return;
    for (let index = 0; index < count; index++) sharer.take(index);
  }
}

/** For a service with one thread, and for commands. */
export function soleCoordination(stopwatch: Stopwatch): Coordination {
  return new ThreadCoordination({ tables: new NumberTables(), members: new FirstMember(), stopwatch });
}
