/** Trace ids (W7): W3C Trace Context, level 2. A valid incoming trace is continued, any other is replaced by a new one. */
import type { Random } from '#model/environment';

/** The trace context of a request. */
export interface Trace {
  /** 32 hex digits: the same through all services that a request passes. */
  traceId: string;
  /** The header of the answer: `00-<trace id>-<our span id>-<flags>`. */
  traceparent: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;
const randomFlag = 2;

/** Random bytes generated at a time; a request needs at most 24. */
const poolBytes = 4096;

/** Reads and makes traces. */
export class TraceSource {
  readonly #random: Random;
  #pool = '';
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The trace of a request whose header `traceparent` has this value. */
  next(header: string | undefined): Trace {
    const parent = header === undefined ? null : parseTraceparent(header);
    const traceId = parent?.traceId ?? this.#hex(32);
    const flags = parent?.flags ?? randomFlag;
    return { traceId, traceparent: `00-${traceId}-${this.#hex(16)}-${printByte(flags)}` };
  }

  /** Hex digits that are not all zero, which would be invalid. */
  #hex(digits: number): string {
    if (this.#at + digits > this.#pool.length) this.#refill();
    const text = this.#pool.slice(this.#at, this.#at + digits);
    this.#at += digits;
    return /^0+$/.test(text) ? `${text.slice(1)}1` : text;
  }

  #refill(): void {
    this.#pool = Buffer.from(this.#random.bytes(poolBytes)).toString('hex');
    this.#at = 0;
  }
}

/** The parent span and known flags in a header; null when it is invalid. Additional fields of later versions are accepted. */
export function parseTraceparent(
  header: string,
): { traceId: string; parentId: string; flags: number } | null {
  const match = form.exec(header);
  if (match === null) return null;
  const [, version, traceId, parentId, flags, rest] = match;
  const isMalformed = version === 'ff' || (version === '00' && rest !== undefined);
  if (isMalformed || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return null;
  return { traceId, parentId, flags: Number.parseInt(flags, 16) & (sampledFlag | randomFlag) };
}

function printByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
