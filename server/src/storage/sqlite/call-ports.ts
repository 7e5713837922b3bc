/** The callers of a thread of the store: each has a port of its own, and its calls have numbers of their own. */
import type { MessagePort } from 'node:worker_threads';
import { bug } from '#model/error';
import { MessageSender } from '#threads/message-socket';
import { type Runner, runnerBeside } from '#threads/scheduling';
import { packError } from './errors.ts';
import type { Answers, Call, ReaderCall, Reply, ThreadCalls, ThreadRole } from './messages.ts';

type Body = ThreadCalls[ThreadRole];

/** Gives the thread another caller, which uses the other end of the port. */
export interface ConnectMessage {
  connect: MessagePort;
}

/**
 * Asks for small replies over the socket with this file descriptor, and for an empty one with this ID as the first. `thread` is the
 * caller's, as the system knows it.
 */
export interface RepliesMessage {
  id: number;
  replies: number;
  thread: number | null;
}

/** What a port needs to be one. */
export type CallPort = Pick<MessagePort, 'postMessage' | 'on' | 'close'>;

/** A call is numbered `port * callsPerPort + number` inside the thread; no caller makes as many calls. */
const callsPerPort = 2 ** 36;

/** Buffers of more bytes than this together are transferred by a port, not copied into a socket. */
const copiedBytesMax = 64 * 1024;

/** A caller; where it has given no socket, all replies go by its port. */
interface Caller {
  port: CallPort;
  socket: MessageSender | null;
  /** Sends by the port. */
  runSending: Runner;
}

/** The number of the port by which a call came. */
export function portOf(id: number): number {
  return Math.floor(id / callsPerPort);
}

/** Receives the calls of all ports, and sends each answer to the port of its call. */
export class CallPorts implements Answers {
  readonly #callers: Caller[] = [];
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
    for (const { port, socket } of this.#callers) {
      socket?.end();
      port.close();
    }
  }

  /** The answer to call 0 tells the caller that it can call. */
  #connect(port: CallPort): void {
    const caller: Caller = { port, socket: null, runSending: (send) => send() };
    const base = this.#callers.push(caller) * callsPerPort - callsPerPort;
    port.on('message', (message: Call<Body> | ConnectMessage | RepliesMessage) => {
      if ('connect' in message) this.#connect(message.connect);
      else if ('replies' in message) {
        caller.socket = new MessageSender(message.replies, () => port.close());
        caller.runSending = runnerBeside(message.thread);
        caller.socket.send({ id: message.id, result: null } satisfies Reply);
      } else this.#serve({ id: base + message.id, body: shifted(message.body, base) });
    });
    port.postMessage({ id: 0, result: null } satisfies Reply);
  }

  #post(id: number, message: (own: number) => Reply, transfer: ArrayBuffer[]): void {
    const { port, socket, runSending } = this.#callers[portOf(id)];
    const reply = message(id % callsPerPort);
    const bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (socket !== null && bytes <= copiedBytesMax) socket.send(reply);
    else runSending(() => port.postMessage(reply, transfer));
  }
}

/** Bodies that name another call of the same port. */
function shifted(body: Body, base: number): Body {
  const call = body as ReaderCall;
  if (call.kind === 'cancel') return { ...call, call: base + call.call };
  if (call.kind === 'run') return { ...call, prepared: base + call.prepared };
  return body;
}
