/** The system's clock and random source; the only file that uses them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Random, Stopwatch } from '#model/environment';

/** The wall clock of the machine, to the millisecond. */
export const systemClock: Clock = { nowUs: () => Date.now() * 1000 };

/** The machine's monotonic clock, which is the same in all threads. */
export const systemStopwatch: Stopwatch = {
  elapsedMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
};

/** The random source of the machine. */
export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
