/**
 * Notices when the machine runs nothing at all on one of its processors, as virtual machines do whose host gives the processor to others,
 * or when the kernel does not let go of one: what is measured at such a time says nothing about the service. A program of high
 * priority, which `watchMachine` starts, has a thread on each processor that sleeps for a millisecond at a time, and takes the longest
 * time by which one of them slept too long.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { serveFirst } from '#threads/scheduling';
import { startFirst } from './priority.ts';

/** How long a thread sleeps, ms. */
const sleepMs = 1;

/** The program that watches. */
export interface MachineWatch {
  readonly process: ChildProcess;
  /** Ends the program; the longest time for which a processor ran nothing, ms. */
  end(): Promise<number>;
}

/** Starts the program. Resolves when it watches. */
export async function watchMachine(): Promise<MachineWatch> {
  const child = startFirst(import.meta.filename, ['ignore', 'inherit', 'ignore', 'ipc']);
  await once(child, 'message');
  return {
    process: child,
    async end() {
      const answered = once(child, 'message');
      child.send('end');
      const [longestMs] = (await answered) as [number];
      child.disconnect();
      return longestMs;
    },
  };
}

interface Watched {
  /** Of each processor, ms. */
  longestMs: Float64Array<SharedArrayBuffer>;
  index: number;
}

function watchProcessor({ longestMs, index }: Watched): void {
  serveFirst(index, longestMs.length);
  parentPort?.postMessage('watches');
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let beforeMs = performance.now(); ; ) {
    Atomics.wait(never, 0, 0, sleepMs);
    const nowMs = performance.now();
    longestMs[index] = Math.max(longestMs[index], nowMs - beforeMs - sleepMs);
    beforeMs = nowMs;
  }
}

async function watch(): Promise<void> {
  const count = availableParallelism();
  const longestMs = new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
  const workers = Array.from({ length: count }, (_, index) => {
    return new Worker(import.meta.filename, { workerData: { longestMs, index } satisfies Watched });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  process.once('message', () => process.send?.(Math.max(...longestMs)));
  process.once('disconnect', () => process.exit());
  process.send?.('watches');
}

if (!isMainThread) watchProcessor(workerData as Watched);
else if (import.meta.main) await watch();
