/** Load control: what requests may use together, and which of them go on when there is not enough for all. See DESIGN.md. */
import { availableParallelism } from 'node:os';
import type { Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import { NumberTables } from '#threads/number-table';
import { Lane, type LaneWidth } from './lane.ts';
import { type MemoryLimits, type MemoryStage, newMemory } from './memory.ts';
import { Overload } from './overload.ts';
import { Slots } from './slots.ts';
import { type Lanes, type Shared, Ticket } from './ticket.ts';
import { Turns } from './turns.ts';

/** The limits that decide; read at each use. */
export type LoadLimits = MemoryLimits &
  Pick<Limits, 'requestsMax' | 'readsMax' | 'readsWaitingMax' | 'changesMax' | 'changesWaitingMax'>;

/** What runs and waits in a lane. */
export interface LaneFigures {
  lane: string;
  runningCount: number;
  waitingCount: number;
}

/** Bodies that are inflated at one time: the runtime has four threads for that, and a processor is left for the event loop. */
const inflatesMax = Math.min(4, Math.max(1, availableParallelism() - 1));

/** Hands out tickets. */
export class Load {
  readonly #shared: Shared;

  /** The amounts of all threads that share the tables count together. */
  constructor(limits: LoadLimits, stopwatch: Stopwatch, tables = new NumberTables()) {
    this.#shared = {
      slots: new Slots(
        () => limits.requestsMax,
        () => limits.integrationSharePercent / 100,
        tables,
      ),
      memory: newMemory(limits, tables),
      turns: new Turns(stopwatch),
      lanes: newLanes(limits, tables),
    };
  }

  /** A request begins: its client is an address until it is identified. `Overload` when there is no slot for it. */
  open(address: string, signal: () => AbortSignal): Ticket {
    if (!this.#shared.slots.take(address)) throw new Overload('too many calls are under way');
    return new Ticket(this.#shared, address, signal);
  }

  /** Runs a step for an address that has no request yet, when it is its turn. Rejects as it throws. */
  step<T>(address: string, step: () => T): Promise<T> {
    return this.#shared.turns.run(address, step);
  }

  /** Whether a step of an address may run now, by {@link runNow}. */
  isPrompt(address: string): boolean {
    return this.#shared.turns.isPrompt(address);
  }

  /** Runs a step for an address at once, and counts its time. */
  runNow<T>(address: string, step: () => T): T {
    return this.#shared.turns.runNow(address, step);
  }

  /** Requests under way. */
  get requestCount(): number {
    return this.#shared.slots.count;
  }

  /** Bytes that requests hold of one stage. */
  takenBytes(stage: MemoryStage): number {
    return this.#shared.memory[stage].takenBytes;
  }

  /** Requests that wait for memory of one stage. */
  waitingCount(stage: MemoryStage): number {
    return this.#shared.memory[stage].waitingCount;
  }

  /** How full the lanes are. */
  get lanes(): LaneFigures[] {
    const { read, largeRead, change } = this.#shared.lanes;
    return [figuresOf('read', read), figuresOf('large-read', largeRead), figuresOf('change', change)];
  }
}

function newLanes(limits: LoadLimits, tables: NumberTables): Lanes {
  const width = (runningMax: number, waitingMax: number): LaneWidth => {
    const share = limits.integrationSharePercent / 100;
    return { runningMax, waitingMax, ownRunningMax: Math.max(1, Math.floor(runningMax * share)) };
  };
  const lane = (calls: string, ...[runningMax, waitingMax]: (() => number)[]) =>
    new Lane(calls, () => width(runningMax(), waitingMax()), tables);
  const largeReadsMax = () => Math.max(1, Math.floor((limits.readsMax * 3) / 4));
  return {
    read: lane(
      'reads',
      () => limits.readsMax,
      () => limits.readsWaitingMax,
    ),
    largeRead: lane('large reads', largeReadsMax, () => limits.readsWaitingMax),
    change: lane(
      'calls',
      () => limits.changesMax,
      () => limits.changesWaitingMax,
    ),
    inflate: lane(
      'compressed bodies',
      () => inflatesMax,
      () => limits.requestsMax,
    ),
    // Parsing takes the event loop of its thread, and each thread has one.
    parse: new Lane('large bodies', () => width(1, limits.requestsMax), new NumberTables()),
  };
}

function figuresOf(lane: string, { runningCount, waitingCount }: Lane): LaneFigures {
  return { lane, runningCount, waitingCount };
}
