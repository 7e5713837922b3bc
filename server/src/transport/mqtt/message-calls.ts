/** Makes the call that a message is, with the ticket, the account and the checks of an HTTP request. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounts } from '#load/account';
import type { Load } from '#load/load';
import { Overload } from '#load/overload';
import type { Ticket } from '#load/ticket';
import { type Caller, partyOf } from '#model/caller';
import type { Stopwatch } from '#model/environment';
import { AppError } from '#model/error';
import { Columns } from '#model/frame';
import type { Limits } from '#model/limits';
import { RateExceeded } from '#model/rate-exceeded';
import type { RateStatus } from '#model/rate-status';
import { type Fault, isInternal } from '#protocol/fault';
import type { Message } from '#protocol/message';
import type { Call } from '#protocol/method';
import type { Rpc } from '#protocol/rpc';
import type { TraceSource } from '#protocol/trace';
import { versionDefault } from '#protocol/version';
import { encodingOfPayload, inflatePayload } from './payload.ts';

/** Who sends a message, and from where. */
export interface Sender {
  caller: Caller;
  address: string;
}

/** Dependencies of {@link MessageCalls}. */
export interface MessageCallsOptions {
  stopwatch: Stopwatch;
  rpc: Rpc;
  accounts: Accounts;
  load: Load;
  traces: TraceSource;
  limits: Pick<Limits, 'bodyBytesMax' | 'requestTimeoutMs'>;
  /** Whether a message above the rate of a plan waits, and with it its connection; else it is rejected. Default true. */
  waitsForRates?: boolean;
}

/** A message could not be dealt with: its connection ends without an acknowledgement, and the client sends it again. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** First wait before a call that was refused because of load is made again, ms; each further one is twice as long. */
const retryMs = 50;

/** Makes calls. */
export class MessageCalls {
  readonly #options: MessageCallsOptions;
  #underWay = 0;
  #isClosing = false;
  #onIdle = () => {};

  constructor(options: MessageCallsOptions) {
    this.#options = options;
  }

  /**
   * Makes a call. Null: what it stores is durable; else why the message is rejected. While the service has no room, or the rate
   * of the plan is exceeded, it waits, for as long as an HTTP request may take. `NotDone` after that, and when it failed inside.
   */
  make(message: Message, sender: Sender): Promise<Fault | null> {
    const answer = (call: Call) =>
      this.#answer(message, call).catch((error: unknown) => this.#refuseRate(error, call));
    return this.#withRetries(answer, sender);
  }

  /** Reports a message that is not a call; its fault. */
  refuse(error: AppError, sender: Sender): Promise<Fault | null> {
    return this.#withRetries(async (call) => this.#options.rpc.refuse(error, call), sender);
  }

  /** Resolves when the calls under way have ended; none is made again. */
  close(): Promise<void> {
    this.#isClosing = true;
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Decompresses a small payload; a fault when it is corrupt or has more than `bytesMax` bytes. */
  inflate(bytes: Buffer, bytesMax: number, sender: Sender): Promise<Buffer | Fault> {
    return this.#withRetries((call) => this.#inflated(bytes, bytesMax, call), sender);
  }

  async #withRetries<T extends Buffer | Fault | null>(
    make: (call: Call) => Promise<T>,
    sender: Sender,
  ): Promise<T> {
    const startMs = this.#options.stopwatch.elapsedMs();
    this.#underWay++;
    try {
      return await this.#repeat(make, sender, startMs);
    } finally {
      if (--this.#underWay === 0) this.#onIdle();
    }
  }

  async #repeat<T extends Buffer | Fault | null>(
    make: (call: Call) => Promise<T>,
    sender: Sender,
    startMs: number,
  ): Promise<T> {
    for (let waitMs = retryMs; ; waitMs *= 2) {
      try {
        return await this.#once(make, sender);
      } catch (error) {
        const endMs = this.#options.stopwatch.elapsedMs() + waitMs - startMs;
        if (this.#isClosing || !isPassing(error) || endMs > this.#options.limits.requestTimeoutMs)
          throw error;
        await sleep(waitMs);
      }
    }
  }

  async #once<T extends Buffer | Fault | null>(
    make: (call: Call) => Promise<T>,
    { caller, address }: Sender,
  ): Promise<T> {
    const { load, accounts, traces, limits } = this.#options;
    const signal = lazySignal(limits.requestTimeoutMs);
    const ticket = load.open(address, signal);
    try {
      ticket.identify(partyOf(caller), accounts.accountOf(caller.integration));
      const call = new MessageCall(caller, address, ticket, traces.next(undefined).traceId, signal);
      const answer = await make(call);
      if (answer !== null && !Buffer.isBuffer(answer) && (isInternal(answer) || call.isLate))
        throw new NotDone(answer.message);
      return answer;
    } finally {
      ticket.close();
    }
  }

  /** Where no client can be held back, a rate is an error like others. */
  #refuseRate(error: unknown, call: Call): Fault {
    const { rpc, waitsForRates = true } = this.#options;
    if (waitsForRates || !(error instanceof RateExceeded)) throw error;
    return rpc.refuse(error, call);
  }

  /** Makes a call with a payload that may be compressed; what is inflated counts for its ticket. */
  async #answer(message: Message, call: Call): Promise<Fault | null> {
    const { content } = message;
    const { rpc, limits } = this.#options;
    if (content instanceof AppError || content instanceof Columns) return rpc.answerMessage(message, call);
    call.ticket.hold('body').note(content.bytes.length);
    const bytes = await this.#inflated(content.bytes, limits.bodyBytesMax, call);
    if (!Buffer.isBuffer(bytes)) return bytes;
    return rpc.answerMessage({ ...message, content: { ...content, bytes }, bytesIn: bytes.length }, call);
  }

  async #inflated(bytes: Buffer, bytesMax: number, call: Call): Promise<Buffer | Fault> {
    const encoding = encodingOfPayload(bytes);
    if (encoding === null) return bytes;
    try {
      return await inflatePayload(call.ticket, encoding, bytes, bytesMax);
    } catch (error) {
      if (error instanceof AppError && error.kind === 'invalid-request')
        return this.#options.rpc.refuse(error, call);
      throw error;
    }
  }
}

/** Whether the same call may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof Overload || error instanceof RateExceeded) return true;
  return error instanceof AppError && error.kind === 'unavailable';
}

/** A signal that is aborted when the time is up, made when it is first asked for. */
function lazySignal(timeoutMs: number): () => AbortSignal {
  let signal: AbortSignal | null = null;
  return () => {
    signal ??= AbortSignal.timeout(timeoutMs);
    return signal;
  };
}

/** A call that is a message. */
class MessageCall implements Call {
  readonly caller: Caller;
  readonly address: string;
  readonly version = versionDefault;
  readonly traceId: string;
  readonly ticket: Ticket;
  plan: Call['plan'] = undefined;
  memory: Call['memory'] = undefined;
  rate: RateStatus | undefined = undefined;
  cancellation: Call['cancellation'] = undefined;
  readonly #makeSignal: () => AbortSignal;

  constructor(
    caller: Caller,
    address: string,
    ticket: Ticket,
    traceId: string,
    makeSignal: () => AbortSignal,
  ) {
    this.caller = caller;
    this.address = address;
    this.ticket = ticket;
    this.traceId = traceId;
    this.#makeSignal = makeSignal;
  }

  get signal(): AbortSignal {
    const signal = this.#makeSignal();
    return this.cancellation?.under(signal) ?? signal;
  }

  /** Whether the time was up. */
  get isLate(): boolean {
    return this.signal.aborted;
  }
}
