/** The environment that code may use: the time, random numbers and a log. Tests replace these and nothing else. */

/** The wall clock. */
export interface Clock {
  /** Microseconds since 1970-01-01T00:00:00Z; an integer. */
  nowUs(): number;
}

/** The time of a clock in whole milliseconds. */
export function clockMs(clock: Clock): number {
  return Math.floor(clock.nowUs() / 1000);
}

/** A clock that never goes back, whatever is done to the wall clock: for waits, rates and time-outs. */
export interface Stopwatch {
  /** Milliseconds since some start, with fractions. */
  elapsedMs(): number;
}

/** Cryptographically strong random bytes (tests: seeded). */
export interface Random {
  bytes(count: number): Uint8Array;
}

/** A structured log; `fields` must hold no secret and no payload. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** All of them. */
export interface Environment {
  clock: Clock;
  stopwatch: Stopwatch;
  random: Random;
  log: Log;
}
