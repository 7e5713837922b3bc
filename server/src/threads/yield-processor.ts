/** Lets other threads of the process go first. */
import { setPriority } from 'node:os';

/** From -20 to 19; a larger number is a lower priority. */
const niceness = 5;

/** Gives the calling thread a lower priority than service threads have, where the system knows one for each thread and permits it. */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, niceness);
  } catch {
    // It runs at normal priority.
  }
}
