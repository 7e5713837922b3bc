/** How the metadata's subjects reach the database: outside of transactions to read, inside of one also to write. */

import { bug } from '#model/error';
import type { Limits } from '#model/limits';
import type { Signal } from '#model/signal';
import type { MetaTopic } from '../meta-store.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { SqlDialect } from './dialect.ts';
import type { RecordCache } from './record-cache.ts';
import type { Searcher, SearchPlan } from './search.ts';
import { identifier, type Sql, sql } from './sql.ts';
import type { SqlRunner, SqlValue } from './sql-runner.ts';

/** Runs statements, inside of a transaction or outside. */
export interface SqlReader extends Pick<SqlRunner, 'read' | 'follow'>, Pick<Searcher, 'search'> {
  /** Of a transaction: runs a statement that changes something, and whose result is needed. */
  change?: SqlRunner['read'];
  /** Of a transaction: runs a statement whose result nobody needs. */
  unread?: SqlRunner['read'];
  /** Of a transaction: runs its last statement. */
  last?: SqlRunner['read'];
}

/** What all statements of a store share. */
export interface SqlContext {
  dialect: SqlDialect;
  /** Evaluated for each search. */
  limits: Pick<Limits, 'patternWorkMax'>;
  /** Of signals and items. */
  records: RecordCache;
}

/** Compiles and runs statements. Each is one statement, and so sees one state. */
export class SqlAccess {
  readonly context: SqlContext;
  /** The topics of the changes so far. */
  readonly topics = new Set<MetaTopic>();
  /** The signals that the transaction has created, where it numbers them at its end. */
  readonly created: Signal[] = [];
  /** Answers about signals and items; null inside of a transaction, and where no revisions are followed. */
  readonly answers: AnswerCache | null;
  readonly #reader: SqlReader;

  constructor(context: SqlContext, reader: SqlReader, answers: AnswerCache | null = null) {
    this.context = context;
    this.answers = answers;
    this.#reader = reader;
  }

  /** Runs a statement that changes nothing; `Row` has the columns that it selects. */
  rows<Row>(statement: Sql<Row>): Promise<Row[]> {
    return this.#reader.read(...this.#compiled(statement)) as Promise<Row[]>;
  }

  /** Runs a statement of a transaction that changes rows and returns some; others wait until the transaction ends. */
  changed<Row>(statement: Sql<Row>): Promise<Row[]> {
    const run = this.#reader.change ?? bug('there is no transaction');
    return run(...this.#compiled(statement)) as Promise<Row[]>;
  }

  /** Runs a statement of a transaction without waiting until it has run. Should it fail, the transaction does. */
  async run(statement: Sql): Promise<void> {
    const run = this.#reader.unread ?? bug('there is no transaction');
    await run(...this.#compiled(statement));
  }

  /** As {@link rows}, for the last statement of a transaction. */
  lastRows<Row>(statement: Sql<Row>): Promise<Row[]> {
    const run = this.#reader.last ?? bug('there is no transaction');
    return run(...this.#compiled(statement)) as Promise<Row[]>;
  }

  /** As {@link rows}, for short statements that must not wait for other reads: who may sign in, and what they may do. */
  followed<Row>(statement: Sql<Row>): Promise<Row[]> {
    return this.#reader.follow(...this.#compiled(statement)) as Promise<Row[]>;
  }

  /** Runs a search; `Row` has the columns of its records. */
  search<Row>(plan: SearchPlan, signal?: AbortSignal): Promise<{ rows: Row[]; total: number | null }> {
    return this.#reader.search(plan, signal) as Promise<{ rows: never[]; total: number | null }>;
  }

  /** The condition that a column has one of these texts, of which some may be equal. */
  oneOf(column: string, texts: readonly string[]): Sql {
    return sql`${identifier(column)} in ${this.context.dialect.elementsOf(JSON.stringify(texts))}`;
  }

  /** Notes that the transaction changes a topic. */
  touch(topic: MetaTopic): void {
    this.topics.add(topic);
  }

  #compiled(statement: Sql): [text: string, values: readonly SqlValue[]] {
    return [statement.text(this.context.dialect.parameter), statement.values as readonly SqlValue[]];
  }
}
