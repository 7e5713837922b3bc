/** The process, its store and its disk in figures, as the console shows them. */
import { statfs } from 'node:fs/promises';
import type { Load } from '#load/load';
import type { SeriesStore } from '#storage/store';

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
}

/** A setting or limit, without its value if that is secret. */
export interface ConfigRow {
  name: string;
  value: unknown;
  default: unknown;
  origin: string;
  reason: string;
}

/** Reads the figures when they are asked for. */
export class Host {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
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
    const { fileBytes = 0, walBytes = 0 } = (await this.#options.series.figures?.()) ?? {};
    return fileBytes + walBytes;
  }

  /** Free space for this process on the disk of the store; null where other servers keep it. */
  async diskFreeBytes(): Promise<number | null> {
    const { directory } = this.#options;
    if (directory === null) return null;
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  }

  /** The backlog: requests, calls by lane, and bytes and seconds of the store. */
  async queues() {
    const { series, load } = this.#options;
    const { queueBytes = 0, logBytes = 0, sealLagS = 0 } = (await series.figures?.()) ?? {};
    return { requests: load.requestCount, lanes: load.lanes, queueBytes, logBytes, sealLagS };
  }

  /** The components of the service, each with a description of its problem, or null. */
  checks(): Promise<{ name: string; problem: string | null }[]> {
    const findings = this.#options.checks.map(async ({ name, check }) => {
      return { name, problem: await check().catch(() => 'failed') };
    });
    return Promise.all(findings);
  }
}
