/** Lets other threads of the process go first. */
import { setPriority } from 'node:os';

/** Niceness by kind of work, from -20 to 19, where service threads have 0; a thread with 5 gets a third of the time of one with 0. */
const niceness = {
  /** What must keep up with the service threads. */
  upkeep: 5,
  /** What computes large answers, which small ones must not wait for. */
  largeReads: 10,
};

/** Gives the calling thread a lower priority than service threads have, where the system knows one for each thread and permits it. */
export function yieldProcessor(work: keyof typeof niceness): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, niceness[work]);
  } catch {
    // It runs at normal priority.
  }
}
