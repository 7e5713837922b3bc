/** A MetaStore on an SQL database: one implementation for every dialect. */

import type { Log } from '#model/environment';
import { type Limits, limitDefaults } from '#model/limits';
import type { Item, Signal } from '#model/signal';
import type { MetaStore, MetaTopic, MetaWrites } from '#storage/store';
import type { SqlDialect } from './dialect.ts';
import { migrate } from './migrations.ts';
import { itemTables, signalTables } from './resource.ts';
import { ResourceSql } from './resource-sql.ts';
import { type Builder, createBuilder } from './schema.ts';
import type { Searcher } from './search.ts';
import { type SqlContext, SqlReads } from './sql-reads.ts';
import type { SqlRunner } from './sql-runner.ts';
import { SqlWrites } from './sql-writes.ts';

/** Options of {@link SqlMetaStore.open}. */
export interface SqlMetaStoreOptions {
  /** Stays open when the store is closed. */
  runner: SqlRunner & Searcher;
  dialect: SqlDialect;
  log: Log;
  /** Default: the default limits. */
  limits?: Pick<Limits, 'patternWorkMax'>;
  /** Interval of checks for changes of other processes, ms. Default 200, since subscribers are notified within a second. */
  pollMs?: number;
}

/** A {@link MetaStore} over a {@link SqlRunner}. */
export class SqlMetaStore extends SqlReads implements MetaStore {
  readonly #runner: SqlRunner & Searcher;
  readonly #context: SqlContext;
  readonly #log: Log;
  readonly #signals: ResourceSql<Signal>;
  readonly #items: ResourceSql<Item>;
  readonly #listeners = new Set<(topic: MetaTopic) => void>();
  readonly #revisions: Map<MetaTopic, number>;
  readonly #timer: NodeJS.Timeout;
  #poll: Promise<void> = Promise.resolve();
  #polling = false;

  /** Brings the tables up to date and follows them. Fails with `conflict` when a newer release has written them. */
  static async open(options: SqlMetaStoreOptions): Promise<SqlMetaStore> {
    await migrate(options.runner, options.dialect);
    const db = createBuilder(options.dialect);
    return new SqlMetaStore(options, db, await readRevisions(options.runner));
  }

  private constructor(options: SqlMetaStoreOptions, db: Builder, revisions: Map<MetaTopic, number>) {
    const { runner, dialect, limits = limitDefaults } = options;
    const context = { db, dialect, limits };
    super(context, runner);
    this.#context = context;
    this.#runner = runner;
    this.#log = options.log;
    this.#signals = new ResourceSql(db, dialect, signalTables);
    this.#items = new ResourceSql(db, dialect, itemTables);
    this.#revisions = revisions;
    this.#timer = setInterval(() => this.#follow(), options.pollMs ?? 200);
    this.#timer.unref();
  }

  async write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T> {
    const { result, revisions } = await this.#runner.transaction(async (execute) => {
      const resources = { signals: this.#signals, items: this.#items };
      const match: Searcher['match'] = (pattern, texts) => this.#runner.match(pattern, texts);
      const tx = new SqlWrites(this.#context, execute, match, resources);
      const result = await work(tx);
      return { result, revisions: await tx.raiseRevisions() };
    });
    this.#tell(revisions);
    return result;
  }

  subscribe(listener: (topic: MetaTopic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#poll;
  }

  /** Checks for changes of other processes, one check at a time. A failed check is repeated at the next tick. */
  #follow(): void {
    if (this.#polling || this.#listeners.size === 0) return;
    this.#polling = true;
    this.#poll = readRevisions(this.#runner)
      .then((revisions) => this.#tell(revisions))
      .catch((error: unknown) => this.#log.warn('meta-data changes cannot be followed', { error }))
      .finally(() => {
        this.#polling = false;
      });
  }

  /** Notifies subscribers of raised revisions. Revisions only grow, so a delayed older answer is ignored. */
  #tell(revisions: ReadonlyMap<MetaTopic, number>): void {
    for (const [topic, revision] of revisions) {
      if (revision <= (this.#revisions.get(topic) ?? 0)) continue;
      this.#revisions.set(topic, revision);
      for (const listener of this.#listeners) listener(topic);
    }
  }
}

async function readRevisions(runner: SqlRunner): Promise<Map<MetaTopic, number>> {
  const rows = await runner.follow('select topic, number from revision', []);
  return new Map(rows.map(({ topic, number }) => [topic as MetaTopic, Number(number)]));
}
