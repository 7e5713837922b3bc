/** Lets other threads of the process go first. */
import { randomFill } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';

/** By how much the niceness of a thread is above that of service threads; one with 5 more gets a third of the time. */
const niceness = {
  /** What must keep up with the service threads: sealing, and the runtime's pool of threads (passwords, compression). */
  upkeep: 5,
  /** What computes large answers, which small ones must not wait for. */
  largeReads: 10,
};

/** The largest niceness that there is. */
const nicenessMax = 19;

/** Of this thread, as it was started. */
const initialNiceness = getPriority();

/** Gives the calling thread a lower priority than service threads have, where the system knows one for each thread and permits it. */
export function yieldProcessor(work: keyof typeof niceness): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(nicenessMax, initialNiceness + niceness[work]));
  } catch {
    // It runs at normal priority.
  }
}

/** Starts the runtime's pool of threads, which get the priority of the thread that is the first to use them. */
export function startPool(): Promise<void> {
  return new Promise((resolve, reject) => {
    randomFill(new Uint8Array(1), (error) => (error === null ? resolve() : reject(error)));
  });
}
