/** The caller's side of a thread that answers calls. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { openSocketPair, receiveMessages } from '#threads/message-socket';
import { systemThreadId } from '#threads/scheduling';
import type { ConnectMessage, RepliesMessage } from './call-ports.ts';
import { storeClosed, unpackError } from './errors.ts';
import type { CallResults, Reply, ThreadCalls, ThreadData, ThreadOptions, ThreadRole } from './messages.ts';
import { serveThread } from './thread-server.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The connection to a thread. */
export interface Channel {
  postMessage(call: unknown, transfer: (ArrayBuffer | MessagePort)[]): void;
  on(event: 'message', listener: (reply: Reply) => void): void;
  on(event: 'error', listener: (error: unknown) => void): void;
  on(event: 'exit' | 'close', listener: () => void): void;
  /** Of a port. */
  close?(): void;
}

/** Starts a thread of a role. Resolves when it is ready; rejects if it cannot start. */
export type StartThread = <Role extends ThreadRole>(role: Role) => Promise<Thread<ThreadCalls[Role]>>;

/**
 * Maximum size of a thread's young generation, MB. The data of these threads are in buffers outside the heap; without this limit
 * V8 lets the young generation of each thread grow to 48 MB under load.
 */
const youngMbMax = 12;

/** Starts worker threads with these options. */
export function workerStarter(options: ThreadOptions): StartThread {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return async (role) => {
    const worker = new Worker(new URL(`./thread-entry.${extension}`, import.meta.url), {
      name: role,
      workerData: { role, options } satisfies ThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: youngMbMax },
    });
    const thread = new Thread<ThreadCalls[typeof role]>(worker);
    await thread.ready;
    // Readers of a service have a lower priority than their callers.
    if (options.serving && role === 'reader') await thread.receiveOverSocket();
    return thread;
  };
}

/**
 * Serves writer and readers on the calling thread, so that short commands start in half the time. The sealer still has a thread
 * of its own: it computes much, and few commands need it.
 */
export function localStarter(options: ThreadOptions): StartThread {
  const startWorker = workerStarter(options);
  return async (role) => {
    if (role === 'sealer') return startWorker(role);
    const { port1, port2 } = new MessageChannel();
    const thread = new Thread<ThreadCalls[typeof role]>(port1);
    void serveThread({ role, options }, port2);
    await thread.ready;
    return thread;
  };
}

/** Calls a thread, and tracks unanswered calls. */
export class Thread<Body extends { kind: keyof CallResults }> {
  /** Resolves when the thread can be called; rejects if it cannot start. */
  readonly ready: Promise<unknown>;
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  #isChannelOpen = true;
  /** By which small replies come, if there is one. */
  #socket: { close(): void } | null = null;
  #lastId = 0;
  #end: Error | null = null;

  constructor(channel: Channel) {
    this.#channel = channel;
    // The thread replies to the call 0 when it has started.
    this.ready = this.#answer(0);
    channel.on('message', (reply) => this.#settle(reply));
    channel.on('error', (error) => this.#fail(error));
    const end = () => {
      this.#isChannelOpen = false;
      this.#closed();
    };
    channel.on('exit', end);
    channel.on('close', end);
  }

  /** Has small replies sent over a socket, where the runtime can make one. The thread must be another one, and ready. */
  async receiveOverSocket(): Promise<void> {
    const descriptors = openSocketPair();
    if (descriptors === null) return;
    const [own, other] = descriptors;
    const socket = receiveMessages(own, {
      receive: (reply) => this.#settle(reply as Reply),
      ended: () => {
        this.#socket = null;
        this.#closed();
      },
    });
    const id = ++this.#lastId;
    const taken = this.#answer(id);
    const message: RepliesMessage = { id, replies: other, thread: systemThreadId() };
    this.#channel.postMessage(message, []);
    await taken.catch((error: unknown) => {
      socket.close();
      throw error;
    });
    this.#socket = socket;
  }

  /** Lets the owner of the other end of `port` call the thread too. */
  connect(port: MessagePort): void {
    this.#channel.postMessage({ connect: port } satisfies ConnectMessage, [port]);
  }

  /** Number of calls that wait for an answer. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** The ID that the next call will have. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** Rejects an unanswered call; its answer will be ignored. */
  abandon(id: number, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    this.#waiting.delete(id);
  }

  /** Ends the connection, but not the thread: calls without an answer fail with `unavailable`, as do later ones. */
  disconnect(): void {
    this.#fail(storeClosed());
    this.#channel.close?.();
    this.#socket?.close();
  }

  /** Calls the thread. Buffers in `transfer` are transferred, not copied. */
  call<B extends Body>(
    body: B,
    transfer: (ArrayBuffer | MessagePort)[] = [],
  ): Promise<CallResults[B['kind']]> {
    if (this.#end !== null) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    const answer = this.#answer(id);
    this.#channel.postMessage({ id, body }, transfer);
    if (body.kind === 'close')
      void answer.then(
        () => this.#fail(storeClosed()),
        () => {},
      );
    return answer as Promise<CallResults[B['kind']]>;
  }

  #answer(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(unpackError(reply.error));
    else waiting?.resolve(reply.result);
  }

  /** The channel, or the socket; the last replies may come by the other one. */
  #closed(): void {
    if (!this.#isChannelOpen && this.#socket === null)
      this.#fail(new Error('BUG: a thread of the store has ended'));
  }

  /** The first reason counts. */
  #fail(error: unknown): void {
    this.#end ??= error instanceof Error ? error : new Error(String(error));
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}
