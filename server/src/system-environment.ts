/** The system's clock and random source; the only file that uses them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '#model/environment';

/** The wall clock of the machine, to the millisecond. */
export const systemClock: Clock = { nowUs: () => Date.now() * 1000 };

/** The random source of the machine. */
export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
