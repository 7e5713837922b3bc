/** The environment of tests: a clock that is moved by hand, seeded random values, a log that is kept in memory. */
import type { Act } from '#model/act';
import type { Clock, Log, Random, Stopwatch } from '#model/environment';

/** A wall clock and a stopwatch that move only in tests. */
export class FixedClock implements Clock, Stopwatch {
  #nowUs: number;
  #elapsedMs = 0;

  constructor(now = '2026-03-01T12:00:00Z') {
    this.#nowUs = Date.parse(now) * 1000;
  }

  nowUs(): number {
    return this.#nowUs;
  }

  elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Moves on by this many seconds. */
  advance(seconds: number): void {
    this.#nowUs += seconds * 1e6;
    this.#elapsedMs += seconds * 1000;
  }

  /** Sets the wall clock back by this many seconds, as an administrator or NTP does; no time passes. */
  setBack(seconds: number): void {
    this.#nowUs -= seconds * 1e6;
  }
}

/** Bytes from a seed: the same in every run. Not for secrets. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() & 255);
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 8;
  }
}

/** A log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: { level: string; message: string; fields?: Record<string, unknown> }[] = [];

  debug(message: string, fields?: Record<string, unknown>): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields?: Record<string, unknown>): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields?: Record<string, unknown>): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields?: Record<string, unknown>): void {
    this.lines.push({ level: 'error', message, fields });
  }
}

/** A log that forgets everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A clock that has stopped at 0. */
export const stoppedClock: Clock = { nowUs: () => 0 };

/** A test, as the audit names it. */
export const testAct: Act = { actor: 'cli:test', origin: 'test' };
