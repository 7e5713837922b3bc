/** The process, its store and its disk in figures, as the console shows them. */
import { statfs } from 'node:fs/promises';
import type { Load } from '#load/load';
import { type Clock, clockMs } from '#model/environment';
import { singleFlight } from '#model/single-flight';
import type { Members, NodeGroup } from '#storage/coordination';
import type { SeriesStore, StoreFigures } from '#storage/store';

/** Options of {@link Host}. */
export interface HostOptions {
  /** Of the program. */
  version: string;
  /** The data directory; null: other servers keep the data. */
  directory: string | null;
  series: Pick<SeriesStore, 'figures'>;
  load: Load;
  /** The components of the service; each check gives null, or a description of the problem. */
  checks: readonly { name: string; check(): Promise<string | null> }[];
  /** Settings and limits. */
  config(): Promise<readonly ConfigRow[]>;
  clock: Clock;
  members: Members;
  nodes: NodeGroup;
}

/** A setting or limit, without its value if that is secret. */
export interface ConfigRow {
  name: string;
  value: unknown;
  default: unknown;
  origin: string;
  reason: string;
}

/** What a process says of itself. */
export interface NodeState {
  checks: { name: string; problem: string | null }[];
  memoryBytes: number;
  threads: number;
  /** Calls that run and wait, inserts apart. */
  running: number;
  waiting: number;
}

/** A process of the service, as another one sees it. */
export interface HostNode {
  /** Empty where there is only one. */
  id: string;
  version: string;
  startedAtMs: number;
  isThis: boolean;
  silentMs: number;
  /** null: it did not answer. */
  state: (NodeState & { delayMs: number }) | null;
}

/** Reads the figures when they are asked for. */
export class Host {
  readonly #options: HostOptions;
  readonly #figures = singleFlight(() => this.#storeFigures());
  readonly #findings = singleFlight(() => this.#findProblems());

  constructor(options: HostOptions) {
    this.#options = options;
    const { members } = options;
    members.answer('state', () => (members.index === 0 ? this.#state() : null));
  }

  /** The processes of the service, this one among them, the oldest first. */
  async nodes(): Promise<HostNode[]> {
    const { nodes, version, clock } = this.#options;
    const found = await nodes.ask<NodeState | null>('state');
    return found.map(({ answers, delayMs, ...node }) => {
      const state = answers?.find((answer) => answer != null);
      const isThis = node.id === nodes.own;
      return {
        ...{ id: node.id, silentMs: node.silentMs, isThis },
        version: isThis ? version : node.version,
        startedAtMs: isThis ? clockMs(clock) - Math.floor(this.uptimeS() * 1000) : node.startedAtMs,
        state: state === undefined || state === null ? null : { delayMs, ...state },
      };
    });
  }

  get version(): string {
    return this.#options.version;
  }

  /** Settings and limits. */
  config(): Promise<readonly ConfigRow[]> {
    return this.#options.config();
  }

  /** Resident memory of the process. */
  memoryBytes(): number {
    return process.memoryUsage.rss();
  }

  uptimeS(): number {
    return process.uptime();
  }

  /** All files of the store together. */
  async storeBytes(): Promise<number> {
    const { fileBytes = 0, walBytes = 0 } = await this.#figures();
    return fileBytes + walBytes;
  }

  /** Free space for this process on the disk of the store, or on those of other servers; null where these do not say. */
  async diskFreeBytes(): Promise<number | null> {
    const { directory } = this.#options;
    if (directory === null) return (await this.#figures()).freeBytes ?? null;
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  }

  /** The backlog: requests, calls that run and wait, inserts apart, and bytes and seconds of the store. */
  async queues() {
    const { load } = this.#options;
    const { queueBytes = 0, logBytes = 0, sealLagS = 0 } = await this.#figures();
    return { requests: load.requestCount, ...callsOf(load), queueBytes, logBytes, sealLagS };
  }

  async #storeFigures(): Promise<Partial<StoreFigures>> {
    return (await this.#options.series.figures?.()) ?? {};
  }

  async #state(): Promise<NodeState> {
    const { load, members } = this.#options;
    const checks = await this.checks();
    return { checks, memoryBytes: this.memoryBytes(), threads: members.count, ...callsOf(load) };
  }

  /** The components of the service, each with a description of its problem, or null. */
  checks(): Promise<{ name: string; problem: string | null }[]> {
    return this.#findings();
  }

  #findProblems(): Promise<{ name: string; problem: string | null }[]> {
    const findings = this.#options.checks.map(async ({ name, check }) => {
      return { name, problem: await check().catch(() => 'failed') };
    });
    return Promise.all(findings);
  }
}

function callsOf({ lanes }: Load): { running: number; waiting: number } {
  const calls = { running: 0, waiting: 0 };
  for (const { runningCount, waitingCount } of lanes) {
    calls.running += runningCount;
    calls.waiting += waitingCount;
  }
  return calls;
}
