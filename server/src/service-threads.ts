/** The service threads beside the first one: starts them, and ends the process when one of them fails. */
import { type MessagePort, Worker } from 'node:worker_threads';
import type { Log } from '#model/environment';
import type { FirstMember } from '#threads/members';
import type { NumberTables } from '#threads/number-table';
import { PortCalls } from '#threads/port-calls';
import { portTo } from '#threads/port-to';
import type { ListenTarget } from '#transport/http/listen';
import type { ServedStore, ThreadShare } from './open-store.ts';
import type { LogEntry } from './remote-log.ts';
import type { ServiceThreadData } from './service-entry.ts';
import type { Reloadable, ThreadOptions } from './service-options.ts';

/** What the threads are started with. */
export interface ServiceThreadsOptions {
  /** Number of threads, the first one included. */
  count: number;
  options: ThreadOptions;
  store: Pick<ServedStore, 'share'>;
  tables: NumberTables;
  members: FirstMember;
  log: Log;
}

/** The further threads. */
export class ServiceThreads {
  readonly #threads: readonly OtherThread[];

  private constructor(threads: readonly OtherThread[]) {
    this.#threads = threads;
  }

  /** Starts them, which takes about as long as for one. All tables must exist. */
  static async start(options: ServiceThreadsOptions): Promise<ServiceThreads> {
    const indexes = Array.from({ length: options.count - 1 }, (_, i) => i + 1);
    const threads = new ServiceThreads(indexes.map((index) => new OtherThread(options, index)));
    try {
      await threads.#call('open');
    } catch (error) {
      await threads.end();
      throw error;
    }
    return threads;
  }

  /** Lets them accept connections. */
  listen(target: ListenTarget): Promise<unknown> {
    return this.#call('listen', target);
  }

  /** Passes on a new configuration. */
  reload(next: Reloadable): Promise<unknown> {
    return this.#call('reload', next);
  }

  /** Lets their open calls end. */
  drain(): Promise<unknown> {
    return this.#call('drain');
  }

  /** Ends them; after {@link drain}. */
  async close(): Promise<void> {
    for (const thread of this.#threads) thread.isEnding = true;
    await this.#call('close');
    await this.end();
  }

  /** Ends them at once. */
  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #call(call: string, detail?: unknown): Promise<unknown> {
    return Promise.all(this.#threads.map((thread) => thread.calls.call(call, detail)));
  }
}

/** The ports of what the threads of the process share. */
function portsOf(share: ThreadShare): MessagePort[] {
  return 'points' in share ? [share.points] : [share.writer, share.follower, share.owner, ...share.readers];
}

/** One of them. */
class OtherThread {
  readonly calls: PortCalls;
  /** Whether its end is expected. */
  isEnding = false;
  readonly #worker: Worker;

  constructor({ count, options, store, tables, members, log }: ServiceThreadsOptions, index: number) {
    const [calls, first] = portTo((port) => {
      const write = ({ level, message, fields }: LogEntry) => log[level](message, fields);
      return new PortCalls(port, { ...members.serving, log: write });
    });
    this.calls = calls;
    const share = store.share();
    const data: ServiceThreadData = { options, count, index, tables: tables.buffers, store: share, first };
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./service-entry.${extension}`, import.meta.url), {
      name: `service-${index}`,
      workerData: data,
      transferList: [first, ...portsOf(share)],
    });
    this.#worker.on('error', (error) => this.#fail(error, log));
    this.#worker.on('exit', () => this.#fail(new Error('BUG: a service thread has ended'), log));
    members.add(this.calls);
  }

  async end(): Promise<void> {
    this.isEnding = true;
    await this.#worker.terminate();
  }

  /** Nothing is restarted: a thread that fails has a bug, and may have left something half done. */
  #fail(error: unknown, log: Log): void {
    if (this.isEnding) return;
    this.isEnding = true;
    log.error('a service thread has failed: the process ends', { error });
    setImmediate(() => {
      throw error;
    });
  }
}
