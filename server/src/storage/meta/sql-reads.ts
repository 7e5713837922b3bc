/** The reads of a MetaStore as SQL. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Compilable, type RawBuilder, sql } from 'kysely';
import { parseDuration } from '#model/duration';
import type { Filter, ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import type { Person, Session } from '#model/person';
import type { Plan } from '#model/plan';
import { parseScope, type RetentionRule } from '#model/retention';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import type { UsageRow } from '#model/usage';
import type {
  AuditQuery,
  AuditRow,
  Credential,
  FedItem,
  Integration,
  MetaReads,
  ResourceCounts,
  Selected,
  SignalOwner,
  SigningKey,
} from '#storage/store';
import { auditRowOf, planOf, usageOf } from './administration.ts';
import type { SqlDialect } from './dialect.ts';
import { credentialOf, integrationOf } from './identity.ts';
import { labelCounts, labelsWanted, type SplitFilter, splitFilter } from './matches.ts';
import { checkPatterns } from './pattern.ts';
import { personOf, savedViewOf, sessionOf } from './people.ts';
import {
  type FilterableTables,
  fedItemColumns,
  fedItemOf,
  itemTables,
  type ResourceTables,
  signalTables,
} from './resource.ts';
import type { Builder } from './schema.ts';
import type { Searcher } from './search.ts';
import { planSearch } from './search-plan.ts';
import type { SqlRow, SqlRunner, SqlValue } from './sql-runner.ts';

/** Characters of JSON that are parsed before the event loop has its turn. */
const turnCharacters = 256 * 1024;

/** Runs reading statements, inside a transaction or outside. */
export type SqlReader = Pick<SqlRunner, 'read' | 'follow'> & Pick<Searcher, 'search'>;

/** The dialect and the limits of reads. */
export interface SqlContext {
  db: Builder;
  dialect: SqlDialect;
  /** Evaluated for each search. */
  limits: Pick<Limits, 'patternWorkMax'>;
}

/** {@link MetaReads} over a way to read. Every answer comes from one statement, and so from one state. */
export class SqlReads implements MetaReads {
  protected readonly db: Builder;
  protected readonly dialect: SqlDialect;
  readonly #limits: SqlContext['limits'];
  readonly #reader: SqlReader;

  constructor({ db, dialect, limits }: SqlContext, reader: SqlReader) {
    this.db = db;
    this.dialect = dialect;
    this.#limits = limits;
    this.#reader = reader;
  }

  async integrations(): Promise<Integration[]> {
    return (await this.#followed(this.db.selectFrom('integration').selectAll().orderBy('id'))).map(
      integrationOf,
    );
  }

  async credentials(): Promise<Credential[]> {
    return (await this.#followed(this.db.selectFrom('credential').selectAll().orderBy('id'))).map(
      credentialOf,
    );
  }

  async lastSeen(): Promise<Map<string, number>> {
    const rows = await this.rows(
      this.db
        .selectFrom('integration')
        .select(['id', 'last_seen_at_ms'])
        .where('last_seen_at_ms', 'is not', null),
    );
    return new Map(rows.map((row) => [String(row.id), Number(row.last_seen_at_ms)]));
  }

  async signingKeys(): Promise<SigningKey[]> {
    const rows = await this.#followed(this.db.selectFrom('signing_key').selectAll().orderBy('id'));
    return rows.map((row) => ({
      id: String(row.id),
      secret: String(row.secret),
      createdAtMs: Number(row.created_at_ms),
    }));
  }

  async signalsByInput(integration: string, inputs: readonly string[]): Promise<Signal[]> {
    const inputIn = this.#oneOf('input', inputs);
    const rows = await this.rows(sql`select * from signal where integration = ${integration} and ${inputIn}`);
    return rows.map(signalTables.recordOf);
  }

  async signalsById(ids: readonly string[]): Promise<Signal[]> {
    const rows = await this.rows(sql`select * from signal where ${this.#oneOf('id', ids)}`);
    return rows.map(signalTables.recordOf);
  }

  async itemsById(ids: readonly string[]): Promise<Item[]> {
    const rows = await this.rows(sql`select * from item where ${this.#oneOf('id', ids)}`);
    return rows.map(itemTables.recordOf);
  }

  async signalsOfItems(items: readonly string[]): Promise<Signal[]> {
    const rows = await this.rows(
      sql`select * from signal where ${this.#oneOf('item', items)} order by number`,
    );
    return rows.map(signalTables.recordOf);
  }

  async fedItemsById(ids: readonly string[]): Promise<FedItem[]> {
    const rows = await this.rows(
      sql`select ${fedItemColumns(this.dialect)} from item where ${this.#oneOf('id', ids)}`,
    );
    return rows.map(fedItemOf);
  }

  selectSignals(
    query: ResourceQuery,
    integration: string | null,
    signal?: AbortSignal,
  ): Promise<Selected<Signal>> {
    return this.#select(signalTables, query, integration, signal);
  }

  selectItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<Item>> {
    return this.#select(itemTables, query, null, signal);
  }

  selectFedItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<FedItem>> {
    const tables = { ...itemTables, recordOf: fedItemOf } as const;
    return this.#select(tables, query, null, signal, fedItemColumns(this.dialect));
  }

  async resourceCounts(integration: string): Promise<ResourceCounts> {
    const [row] = await this.rows(
      sql`select count(*) as signals, count(distinct item) as items from signal where integration = ${integration}`,
    );
    return { signals: Number(row.signals), items: Number(row.items) };
  }

  async signalOwners(): Promise<SignalOwner[]> {
    const rows = await this.rows(
      this.db.selectFrom('signal').select(['id', 'number', 'integration']).orderBy('number'),
    );
    return rows.map(({ id, number, integration }) => ({
      id: String(id),
      number: Number(number),
      integration: String(integration),
    }));
  }

  async plans(): Promise<Plan[]> {
    const rows = await this.#followed(this.db.selectFrom('plan').selectAll().orderBy('name'));
    return rows.map(planOf);
  }

  async usage(integration: string | null, fromDay: number): Promise<UsageRow[]> {
    const mine = integration === null ? sql`` : sql`and integration = ${integration}`;
    const rows = await this.rows(
      sql`select * from usage where day >= ${fromDay} ${mine} order by day, integration`,
    );
    return rows.map(usageOf);
  }

  async auditRows({ isDescending, afterSeq, beforeSeq, limit, ...equal }: AuditQuery): Promise<AuditRow[]> {
    let query = this.db.selectFrom('audit').selectAll().where('seq', '>', afterSeq);
    if (beforeSeq !== undefined) query = query.where('seq', '<', beforeSeq);
    for (const column of ['actor', 'action', 'target'] as const) {
      const value = equal[column];
      if (value !== null) query = query.where(column, '=', value);
    }
    const rows = await this.rows(query.orderBy('seq', isDescending ? 'desc' : 'asc').limit(limit));
    return rows.map(auditRowOf);
  }

  async retentionRules(): Promise<RetentionRule[]> {
    const rows = await this.rows(this.db.selectFrom('retention_rule').selectAll().orderBy('scope'));
    return rows.map(({ scope, keep }) => ({
      scope: parseScope(String(scope)),
      keep: keep === null ? null : parseDuration(String(keep)),
    }));
  }

  async people(): Promise<Person[]> {
    return (await this.#followed(this.db.selectFrom('person').selectAll().orderBy('id'))).map(personOf);
  }

  async sessions(): Promise<Session[]> {
    return (await this.#followed(this.db.selectFrom('session').selectAll().orderBy('id'))).map(sessionOf);
  }

  async savedViews(): Promise<SavedView[]> {
    return (await this.rows(this.db.selectFrom('saved_view').selectAll().orderBy('id'))).map(savedViewOf);
  }

  async preferences(): Promise<Map<string, string>> {
    const rows = await this.#followed(this.db.selectFrom('preference').selectAll().orderBy('key'));
    return new Map(rows.map(({ key, value }) => [String(key), String(value)]));
  }

  /** The rows of a statement. */
  protected rows(statement: Compilable | RawBuilder<unknown>): Promise<SqlRow[]> {
    const { sql: text, parameters } = statement.compile(this.db);
    return this.#reader.read(text, parameters as readonly SqlValue[]);
  }

  /** The rows of a short statement that must not wait for other reads: who may sign in, and what they may do. */
  #followed(statement: Compilable | RawBuilder<unknown>): Promise<SqlRow[]> {
    const { sql: text, parameters } = statement.compile(this.db);
    return this.#reader.follow(text, parameters as readonly SqlValue[]);
  }

  /** Duplicates do no harm. */
  #oneOf(column: string, texts: readonly string[]): RawBuilder<unknown> {
    return sql`${sql.ref(column)} in ${this.dialect.elementsOf(JSON.stringify(texts))}`;
  }

  async #select<T>(
    tables: FilterableTables & Pick<ResourceTables<T>, 'recordOf'>,
    query: ResourceQuery,
    integration: string | null,
    signal: AbortSignal | undefined,
    columns: RawBuilder<unknown> = sql`*`,
  ): Promise<Selected<T>> {
    signal?.throwIfAborted();
    checkPatterns(query.filter);
    const { db, dialect } = this;
    const { patternWorkMax } = this.#limits;
    const split = await this.#split(tables, query.filter);
    const plan = planSearch({ db, dialect, tables, columns, query, split, integration, patternWorkMax });
    const { rows, total } = await this.#reader.search(plan, signal);
    return { records: await recordsOf(rows, tables), total };
  }

  /** Separates the rarest label from a filter, to begin with it. */
  async #split(tables: FilterableTables, filter: Filter): Promise<SplitFilter> {
    const labels = labelsWanted(filter);
    if (labels.length < 2) return splitFilter(filter, labels[0] ?? null);
    const [counts] = await this.rows(labelCounts(tables, labels));
    const rarest = labels.reduce((best, label, i) =>
      Number(counts[`n${i}`]) < Number(counts[`n${labels.indexOf(best)}`]) ? label : best,
    );
    return splitFilter(filter, rarest);
  }
}

/** In turns: maps of a thousand signals take up to some 100 ms to parse. */
async function recordsOf<T>(
  rows: readonly SqlRow[],
  { recordOf }: Pick<ResourceTables<T>, 'recordOf'>,
): Promise<T[]> {
  const records: T[] = [];
  let characters = 0;
  for (const row of rows) {
    records.push(recordOf(row));
    characters += String(row.labels).length + String(row.annotations).length + String(row.enum_values).length;
    if (characters < turnCharacters) continue;
    characters = 0;
    await nextTurn();
  }
  return records;
}
