/** The callers of a thread of the store: each has a port of its own, and its calls have numbers of their own. */
import type { MessagePort } from 'node:worker_threads';
import { bug } from '#model/error';
import { packError } from './errors.ts';
import type { Answers, Call, ReaderCall, Reply, ThreadCalls, ThreadRole } from './messages.ts';

type Body = ThreadCalls[ThreadRole];

/** Gives the thread another caller, which uses the other end of the port. */
export interface ConnectMessage {
  connect: MessagePort;
}

/** What a port needs to be one. */
export type CallPort = Pick<MessagePort, 'postMessage' | 'on' | 'close'>;

/** A call is numbered `port * callsPerPort + number` inside the thread; no caller makes as many calls. */
const callsPerPort = 2 ** 36;

/** The number of the port by which a call came. */
export function portOf(id: number): number {
  return Math.floor(id / callsPerPort);
}

/** Receives the calls of all ports, and sends each answer to the port of its call. */
export class CallPorts implements Answers {
  readonly #ports: CallPort[] = [];
  #serve: (call: Call<Body>) => void = () => bug('a call came before the thread was ready');

  /** Begins to serve calls that come by `port`, and by the ports that its caller connects later. */
  serve(port: CallPort, serve: (call: Call<never>) => void): void {
    this.#serve = serve as (call: Call<Body>) => void;
    this.#connect(port);
  }

  reply(id: number, result: unknown, transfer: ArrayBuffer[] = []): void {
    this.#post(id, (own) => ({ id: own, result }), transfer);
  }

  replyError(id: number, error: unknown): void {
    this.#post(id, (own) => ({ id: own, error: packError(error) }), []);
  }

  end(): void {
    for (const port of this.#ports) port.close();
  }

  /** The answer to call 0 tells the caller that it can call. */
  #connect(port: CallPort): void {
    const base = this.#ports.push(port) * callsPerPort - callsPerPort;
    port.on('message', (message: Call<Body> | ConnectMessage) => {
      if ('connect' in message) this.#connect(message.connect);
      else this.#serve({ id: base + message.id, body: shifted(message.body, base) });
    });
    port.postMessage({ id: 0, result: null } satisfies Reply);
  }

  #post(id: number, message: (own: number) => Reply, transfer: ArrayBuffer[]): void {
    this.#ports[portOf(id)].postMessage(message(id % callsPerPort), transfer);
  }
}

/** Bodies that name another call of the same port. */
function shifted(body: Body, base: number): Body {
  const call = body as ReaderCall;
  if (call.kind === 'cancel') return { ...call, call: base + call.call };
  if (call.kind === 'run') return { ...call, prepared: base + call.prepared };
  return body;
}
