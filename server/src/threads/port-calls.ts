/** Calls between two threads over a message port, in both directions. */
import type { MessagePort, Transferable } from 'node:worker_threads';
import type { Runner } from './scheduling.ts';

/** Answers a call with a value that can be cloned, or with {@link Moved}, or throws. */
export type Answer = (detail: never) => unknown;

/** An answer whose buffers are transferred: nobody else may use them. */
export class Moved {
  readonly value: unknown;
  readonly transfer: Transferable[];

  constructor(value: unknown, transfer: Transferable[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

type Message =
  | { id: number; call: string; detail: unknown }
  | { id: number; result: unknown }
  | { id: number; error: unknown };

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One end. Calls that wait when the other thread ends are rejected, and those after that. */
export class PortCalls {
  readonly #port: MessagePort;
  readonly #answers: Readonly<Record<string, Answer>>;
  readonly #runSending: Runner;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  /** `answers` serve the calls of the other end, by name; `runSending` sends them. */
  constructor(
    port: MessagePort,
    answers: Readonly<Record<string, Answer>>,
    runSending: Runner = (send) => send(),
  ) {
    this.#port = port;
    this.#answers = answers;
    this.#runSending = runSending;
    port.on('message', (message: Message) => {
      if ('call' in message) void this.#serve(message);
      else this.#settle(message);
    });
    port.on('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.values()) reject(hasEnded());
      this.#waiting.clear();
    });
  }

  /** Calls the other end. Rejects with what its answer throws, of which only errors of the runtime keep their class. */
  call<T>(call: string, detail?: unknown, transfer: Transferable[] = []): Promise<T> {
    if (this.#isClosed) return Promise.reject(hasEnded());
    const id = ++this.#lastId;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#port.postMessage({ id, call, detail } satisfies Message, transfer);
    return answer as Promise<T>;
  }

  /** Calls the other end, whose answer does not matter. */
  tell(call: string, detail?: unknown): void {
    this.#port.postMessage({ id: 0, call, detail } satisfies Message);
  }

  /** Ends the connection. */
  close(): void {
    this.#port.close();
  }

  async #serve({ id, call, detail }: Extract<Message, { call: string }>): Promise<void> {
    let message: Message;
    let transfer: Transferable[] = [];
    try {
      const answer = await this.#answers[call](detail as never);
      const isMoved = answer instanceof Moved;
      message = { id, result: isMoved ? answer.value : answer };
      if (isMoved) transfer = answer.transfer;
    } catch (error) {
      message = { id, error };
    }
    if (id > 0) this.#runSending(() => this.#port.postMessage(message, transfer));
  }

  #settle(message: Exclude<Message, { call: string }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(message.error);
    else waiting?.resolve(message.result);
  }
}

function hasEnded(): Error {
  return new Error('the other thread has ended');
}
