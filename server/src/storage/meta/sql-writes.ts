/** The changes to a MetaStore as SQL, inside one transaction. */
import { sql } from 'kysely';
import { printDuration } from '#model/duration';
import type { Person, Session } from '#model/person';
import type { Plan } from '#model/plan';
import { printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import type { UsageRow } from '#model/usage';
import type {
  AuditRow,
  Credential,
  Integration,
  MetaTopic,
  MetaWrites,
  NewSignal,
  SigningKey,
} from '#storage/store';
import { planColumns, usageAddition, usageOf } from './administration.ts';
import { credentialColumns, integrationColumns } from './identity.ts';
import { personColumns, sessionRow } from './people.ts';
import type { ResourceSql } from './resource-sql.ts';
import { type SearchAnswer, type Searcher, type SearchStep, searchAsync } from './search.ts';
import { type SqlContext, type SqlReader, SqlReads } from './sql-reads.ts';
import type { SqlExecute } from './sql-runner.ts';

/** Rows of usage in one statement: each has a dozen parameters, and a statement is compiled for each count of rows. */
const usageRowsMax = 100;

/** {@link MetaWrites} over an open transaction; notes which topics it touches. */
export class SqlWrites extends SqlReads implements MetaWrites {
  /** What has been changed so far. */
  readonly topics = new Set<MetaTopic>();
  readonly #execute: SqlExecute;
  readonly #signals: ResourceSql<Signal>;
  readonly #items: ResourceSql<Item>;

  constructor(
    context: SqlContext,
    execute: SqlExecute,
    match: Searcher['match'],
    resources: { signals: ResourceSql<Signal>; items: ResourceSql<Item> },
  ) {
    const read: SqlReader['read'] = async (text, params) => (await execute(text, params)).rows;
    const answer = (step: SearchStep): Promise<SearchAnswer> =>
      step.kind === 'match' ? match(step.pattern, step.texts) : read(step.sql, step.params);
    super(context, { read, follow: read, search: (plan) => searchAsync(plan, answer) });
    this.#execute = execute;
    this.#signals = resources.signals;
    this.#items = resources.items;
  }

  async insertIntegration(integration: Integration): Promise<void> {
    this.topics.add('identity');
    const { id, createdAtMs } = integration;
    const row = { id, created_at_ms: createdAtMs, ...integrationColumns(integration) };
    await this.rows(this.db.insertInto('integration').values(row));
  }

  async updateIntegration(integration: Integration): Promise<void> {
    this.topics.add('identity');
    const columns = integrationColumns(integration);
    await this.rows(this.db.updateTable('integration').set(columns).where('id', '=', integration.id));
  }

  async noteSeen(id: string, atMs: number): Promise<void> {
    await this.rows(
      this.db
        .updateTable('integration')
        .set({ last_seen_at_ms: atMs })
        .where('id', '=', id)
        .where((of) => of.or([of('last_seen_at_ms', 'is', null), of('last_seen_at_ms', '<', atMs)])),
    );
  }

  async deleteIntegration(id: string): Promise<number[]> {
    this.topics.add('identity').add('signals');
    const rows = await this.rows(
      this.db.selectFrom('signal').select('number').where('integration', '=', id).orderBy('number'),
    );
    const ids = this.db.selectFrom('signal').select('id').where('integration', '=', id);
    await this.rows(this.db.deleteFrom('signal_label').where('resource', 'in', ids));
    await this.rows(this.db.deleteFrom('signal').where('integration', '=', id));
    await this.rows(this.db.deleteFrom('credential').where('integration', '=', id));
    await this.rows(this.db.deleteFrom('integration').where('id', '=', id));
    await this.deleteRetentionRule({ kind: 'integration', integration: id });
    return rows.map(({ number }) => Number(number));
  }

  async insertCredential(credential: Credential): Promise<void> {
    this.topics.add('identity');
    const { id, integration, type, secretSha256, createdAtMs } = credential;
    const fixed = { id, integration, type, secret_sha256: secretSha256, created_at_ms: createdAtMs };
    await this.rows(this.db.insertInto('credential').values({ ...fixed, ...credentialColumns(credential) }));
  }

  async updateCredential(credential: Credential): Promise<void> {
    const { id, label, expiresAtMs } = credential;
    const before = await this.rows(
      this.db.selectFrom('credential').select(['label', 'expires_at_ms']).where('id', '=', id),
    );
    if (before.length === 0) return;
    const [row] = before;
    if (row.label !== label || row.expires_at_ms !== expiresAtMs) this.topics.add('identity');
    await this.rows(
      this.db.updateTable('credential').set(credentialColumns(credential)).where('id', '=', id),
    );
  }

  async deleteCredential(id: string): Promise<void> {
    this.topics.add('identity');
    await this.rows(this.db.deleteFrom('credential').where('id', '=', id));
  }

  async insertSigningKey({ id, secret, createdAtMs }: SigningKey): Promise<void> {
    this.topics.add('identity');
    await this.rows(this.db.insertInto('signing_key').values({ id, secret, created_at_ms: createdAtMs }));
  }

  async deleteSigningKey(id: string): Promise<void> {
    this.topics.add('identity');
    await this.rows(this.db.deleteFrom('signing_key').where('id', '=', id));
  }

  async insertSignals(signals: readonly NewSignal[]): Promise<Signal[]> {
    if (signals.length === 0) return [];
    this.topics.add('signals');
    const first = await this.#takeNumbers(signals.length);
    const numbered = signals.map((signal, i) => ({ ...signal, number: first + i }));
    await this.#signals.insert(this.#execute, numbered);
    return numbered;
  }

  async updateSignals(signals: readonly Signal[]): Promise<void> {
    if (signals.length === 0) return;
    this.topics.add('signals');
    await this.#signals.update(this.#execute, signals);
  }

  async insertItems(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    this.topics.add('signals');
    await this.#items.insert(this.#execute, items);
  }

  async updateItems(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    this.topics.add('signals');
    await this.#items.update(this.#execute, items);
  }

  async insertPlan(plan: Plan): Promise<void> {
    this.topics.add('plans');
    await this.rows(this.db.insertInto('plan').values({ name: plan.name, ...planColumns(plan) }));
  }

  async updatePlan(plan: Plan): Promise<void> {
    this.topics.add('plans');
    await this.rows(this.db.updateTable('plan').set(planColumns(plan)).where('name', '=', plan.name));
  }

  async deletePlan(name: string): Promise<void> {
    this.topics.add('plans');
    await this.rows(this.db.deleteFrom('plan').where('name', '=', name));
  }

  async addUsage(rows: readonly UsageRow[]): Promise<UsageRow[]> {
    const sums: UsageRow[] = [];
    for (let start = 0; start < rows.length; start += usageRowsMax) {
      const chunk = rows.slice(start, start + usageRowsMax);
      sums.push(...(await this.rows(usageAddition(chunk))).map(usageOf));
    }
    return sums;
  }

  async deleteUsage(beforeDay: number): Promise<void> {
    await this.rows(this.db.deleteFrom('usage').where('day', '<', beforeDay));
  }

  async insertAuditRow({ timeMs, ...row }: AuditRow): Promise<void> {
    await this.rows(this.db.insertInto('audit').values({ ...row, time_ms: timeMs }));
  }

  async deleteAuditRows(throughSeq: number): Promise<void> {
    await this.rows(this.db.deleteFrom('audit').where('seq', '<=', throughSeq));
  }

  async saveRetentionRule({ scope, keep }: RetentionRule): Promise<void> {
    const text = keep === null ? null : printDuration(keep);
    await this.rows(
      sql`insert into retention_rule (scope, keep) values (${printScope(scope)}, ${text}) on conflict (scope) do update set keep = excluded.keep`,
    );
  }

  async deleteRetentionRule(scope: RetentionScope): Promise<void> {
    await this.rows(this.db.deleteFrom('retention_rule').where('scope', '=', printScope(scope)));
  }

  async insertPerson(person: Person): Promise<void> {
    this.topics.add('people');
    const row = { id: person.id, created_at_ms: person.createdAtMs, ...personColumns(person) };
    await this.rows(this.db.insertInto('person').values(row));
  }

  async updatePerson(person: Person): Promise<void> {
    this.topics.add('people');
    await this.rows(this.db.updateTable('person').set(personColumns(person)).where('id', '=', person.id));
  }

  async deletePerson(id: string): Promise<void> {
    this.topics.add('people');
    await this.rows(this.db.deleteFrom('session').where('person', '=', id));
    await this.rows(this.db.deleteFrom('person').where('id', '=', id));
  }

  async insertSession(session: Session): Promise<void> {
    this.topics.add('people');
    await this.rows(this.db.insertInto('session').values(sessionRow(session)));
  }

  async updateSession({ id, usedAtMs }: Session): Promise<void> {
    await this.rows(this.db.updateTable('session').set({ used_at_ms: usedAtMs }).where('id', '=', id));
  }

  async deleteSession(id: string): Promise<void> {
    this.topics.add('people');
    await this.rows(this.db.deleteFrom('session').where('id', '=', id));
  }

  async saveSavedView({ id, name, query, owner, createdAtMs, updatedAtMs }: SavedView): Promise<void> {
    const row = { id, name, query, owner, created_at_ms: createdAtMs, updated_at_ms: updatedAtMs };
    const changed = { name, query, updated_at_ms: updatedAtMs };
    await this.rows(
      this.db
        .insertInto('saved_view')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(changed)),
    );
  }

  async deleteSavedView(id: string): Promise<void> {
    await this.rows(this.db.deleteFrom('saved_view').where('id', '=', id));
  }

  async savePreference(key: string, value: string): Promise<void> {
    this.topics.add('people');
    await this.rows(
      sql`insert into preference (key, value) values (${key}, ${value}) on conflict (key) do update set value = excluded.value`,
    );
  }

  /** Raises the revision of each topic touched; topic → its revision now. */
  async raiseRevisions(): Promise<Map<MetaTopic, number>> {
    const topics = [...this.topics];
    if (topics.length === 0) return new Map();
    await this.rows(
      this.db.updateTable('revision').set({ number: sql`number + 1` }).where('topic', 'in', topics),
    );
    const rows = await this.rows(this.db.selectFrom('revision').selectAll().where('topic', 'in', topics));
    return new Map(rows.map(({ topic, number }) => [topic as MetaTopic, Number(number)]));
  }

  /** Reserves `count` numbers that are never used again, and returns the first one. */
  async #takeNumbers(count: number): Promise<number> {
    await this.rows(sql`update sequence set next = next + ${count} where name = 'signal'`);
    const [{ next }] = await this.rows(
      this.db.selectFrom('sequence').select('next').where('name', '=', 'signal'),
    );
    return Number(next) - count;
  }
}
