/** The history of the tables: numbered steps that every database goes through once, in order. A step is never changed. */
import { type Compilable, sql } from 'kysely';
import { AppError } from '#model/error';
import { type Builder, createBuilder, type SqlDialect } from './dialect.ts';
import type { SqlExecute, SqlRunner } from './sql-runner.ts';

type Step = (db: Builder, dialect: SqlDialect) => Compilable[];

/** Step 1 is the first. */
const steps: readonly Step[] = [
  createTables,
  createPlansUsageAudit,
  createPeople,
  createRetention,
  createSavedViews,
  addDisabledAndUsePlace,
  addLastSeen,
];

/** The schema version that this release reads and writes. */
export const schemaVersion = steps.length;

/**
 * Brings a database to {@link schemaVersion}, all or nothing; the version that it had. Fails with `conflict` when a newer
 * release has written it, before it changes anything.
 */
export async function migrate(runner: SqlRunner, dialect: SqlDialect): Promise<number> {
  const db = createBuilder(dialect);
  return runner.transaction(async (execute) => {
    const version = await readVersion(execute);
    if (version > schemaVersion) throw newerSchema(version);
    for (const step of steps.slice(version))
      for (const statement of step(db, dialect)) await execute(statement.compile().sql, []);
    if (version < schemaVersion) await execute(`update meta_version set version = ${schemaVersion}`, []);
    return version;
  });
}

async function readVersion(execute: SqlExecute): Promise<number> {
  await execute('create table if not exists meta_version (version integer not null)', []);
  const { rows } = await execute('select version from meta_version', []);
  if (rows.length > 0) return Number(rows[0].version);
  await execute('insert into meta_version (version) values (0)', []);
  return 0;
}

function newerSchema(version: number): AppError {
  return new AppError(
    'conflict',
    `the data was written by a newer release (schema version ${version}, this release knows up to ${schemaVersion}): run that release or a newer one`,
  );
}

function createTables(db: Builder, dialect: SqlDialect): Compilable[] {
  return [
    ...identityTables(db, dialect),
    signalTable(db, dialect),
    itemTable(db, dialect),
    labelTable(db, dialect, 'signal_label'),
    labelTable(db, dialect, 'item_label'),
    ...indexes(db),
    ...counters(db, dialect),
  ];
}

function identityTables(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema
      .createTable('integration')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('grants', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull()),
    db.schema
      .createTable('credential')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('integration', text, (column) => column.notNull())
      .addColumn('type', text, (column) => column.notNull())
      .addColumn('label', text, (column) => column.notNull())
      .addColumn('secret_sha256', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at_ms', 'bigint')
      .addColumn('expires_at_ms', 'bigint'),
    db.schema
      .createTable('signing_key')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('secret', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull()),
  ];
}

function signalTable(db: Builder, { textType: text, numberKeyType }: SqlDialect): Compilable {
  return db.schema
    .createTable('signal')
    .addColumn('number', numberKeyType, (column) => column.primaryKey().notNull())
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('integration', text, (column) => column.notNull())
    .addColumn('input', text, (column) => column.notNull())
    .addColumn('item', text)
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('value_type', text, (column) => column.notNull())
    .addColumn('source_type', text, (column) => column.notNull())
    .addColumn('eng_unit', text, (column) => column.notNull())
    .addColumn('sample_interval_us', 'bigint')
    .addColumn('gap_detection_us', 'bigint')
    .addColumn('labels', text, (column) => column.notNull())
    .addColumn('enum_values', text, (column) => column.notNull())
    .addColumn('annotations', text, (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('signal_by_input_key', ['integration', 'input']);
}

function itemTable(db: Builder, { textType: text }: SqlDialect): Compilable {
  return db.schema
    .createTable('item')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('visible', 'integer', (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('value_type', text, (column) => column.notNull())
    .addColumn('source_type', text, (column) => column.notNull())
    .addColumn('eng_unit', text, (column) => column.notNull())
    .addColumn('sample_interval_us', 'bigint')
    .addColumn('gap_detection_us', 'bigint')
    .addColumn('labels', text, (column) => column.notNull())
    .addColumn('enum_values', text, (column) => column.notNull())
    .addColumn('annotations', text, (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull());
}

function labelTable(db: Builder, { textType: text, clusteredEnd }: SqlDialect, name: string): Compilable {
  return db.schema
    .createTable(name)
    .addColumn('resource', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addPrimaryKeyConstraint(`${name}_key`, ['resource', 'key', 'value'])
    .modifyEnd(clusteredEnd);
}

/** What filters name often, and what pages are sorted by. */
function indexes(db: Builder): Compilable[] {
  const index = (table: string, ...columns: string[]) =>
    db.schema
      .createIndex(`${table}_by_${columns.join('_')}`)
      .on(table)
      .columns(columns);
  return [
    index('credential', 'integration'),
    index('signal', 'integration', 'id'),
    index('signal', 'input'),
    index('signal', 'item'),
    index('signal', 'created_at_ms'),
    index('item', 'created_at_ms'),
    index('signal_label', 'key', 'value', 'resource'),
    index('item_label', 'key', 'value', 'resource'),
  ];
}

function counters(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema
      .createTable('revision')
      .addColumn('topic', text, (column) => column.primaryKey().notNull())
      .addColumn('number', 'bigint', (column) => column.notNull()),
    literal("insert into revision (topic, number) values ('identity', 0), ('signals', 0)", db),
    db.schema
      .createTable('sequence')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .addColumn('next', 'bigint', (column) => column.notNull()),
    literal("insert into sequence (name, next) values ('signal', 1)", db),
  ];
}

/** Step 2: plans, metering and the audit (L4). */
function createPlansUsageAudit(
  db: Builder,
  { textType: text, numberKeyType, clusteredEnd }: SqlDialect,
): Compilable[] {
  const counts = ['points', 'requests', 'bytes_in', 'signals', 'items', 'rejected'];
  const overs = ['points_over', 'requests_over', 'signals_over', 'items_over'];
  const usage = db.schema
    .createTable('usage')
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('integration', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_key', ['day', 'integration']);
  return [
    db.schema
      .alterTable('integration')
      .addColumn('plan', text, (column) => column.notNull().defaultTo('default')),
    db.schema
      .createTable('plan')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .addColumn('signals_max', 'bigint')
      .addColumn('items_max', 'bigint')
      .addColumn('points_per_day_max', 'bigint')
      .addColumn('rates', text, (column) => column.notNull())
      .addColumn('is_hard', 'integer', (column) => column.notNull()),
    literal("insert into plan (name, rates, is_hard) values ('default', '{}', 1)", db),
    literal("insert into revision (topic, number) values ('plans', 0)", db),
    [...counts, ...overs]
      .reduce((table, name) => table.addColumn(name, 'bigint', (column) => column.notNull()), usage)
      .modifyEnd(clusteredEnd),
    db.schema
      .createTable('audit')
      .addColumn('seq', numberKeyType, (column) => column.primaryKey().notNull())
      .addColumn('time_ms', 'bigint', (column) => column.notNull())
      .addColumn('actor', text, (column) => column.notNull())
      .addColumn('origin', text, (column) => column.notNull())
      .addColumn('action', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('change', text, (column) => column.notNull())
      .addColumn('previous', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull()),
  ];
}

/** Step 3: people, their sessions, and what they choose for the instance. */
function createPeople(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema
      .createTable('person')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('password_hash', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('updated_at_ms', 'bigint', (column) => column.notNull()),
    db.schema
      .createTable('session')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('person', text, (column) => column.notNull())
      .addColumn('token_sha256', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('used_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('user_agent', text, (column) => column.notNull()),
    db.schema
      .createTable('preference')
      .addColumn('key', text, (column) => column.primaryKey().notNull())
      .addColumn('value', text, (column) => column.notNull()),
    literal("insert into revision (topic, number) values ('people', 0)", db),
  ];
}

/** Step 4: rules of retention (L5). */
function createRetention(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema
      .createTable('retention_rule')
      .addColumn('scope', text, (column) => column.primaryKey().notNull())
      .addColumn('keep', text),
  ];
}

/** Step 5: views of the explorer that people have saved (A5g). */
function createSavedViews(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema
      .createTable('saved_view')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('query', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('updated_at_ms', 'bigint', (column) => column.notNull()),
  ];
}

/** Step 6: integrations can be disabled (A1b), and credentials know where they were used last (A4). */
function addDisabledAndUsePlace(db: Builder, { textType: text }: SqlDialect): Compilable[] {
  return [
    db.schema.alterTable('integration').addColumn('disabled_at_ms', 'bigint'),
    db.schema.alterTable('credential').addColumn('last_used_address', text),
    db.schema.alterTable('credential').addColumn('last_used_agent', text),
  ];
}

/** Step 7: an integration keeps when it was seen, also when the credential that it used is gone (A4). */
function addLastSeen(db: Builder): Compilable[] {
  return [
    db.schema.alterTable('integration').addColumn('last_seen_at_ms', 'bigint'),
    literal(
      'update integration set last_seen_at_ms = (select max(last_used_at_ms) from credential where credential.integration = integration.id)',
      db,
    ),
  ];
}

function literal(text: string, db: Builder): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
