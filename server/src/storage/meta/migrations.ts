/** The history of the tables: numbered steps that every database goes through once, in order. A step is never changed. */
import { type AppError, conflict } from '#model/error';
import type { SqlDialect } from './dialect.ts';
import type { SqlExecute, SqlRunner, SqlValue } from './sql-runner.ts';

/** The statements of a step. */
type Step = (dialect: SqlDialect) => readonly string[];

/** Step 1 is the first. */
const steps: readonly Step[] = [
  createTables,
  createPlansUsageAudit,
  createPeople,
  createRetention,
  createSavedViews,
  addDisabledAndUsePlace,
  addLastSeen,
  createPublishRules,
  createTransfer,
  createOpenWrites,
  addCalculations,
  createBrokerSessions,
  createPointChanges,
  createUsageFlushes,
];

/** The schema version that this release reads and writes. */
export const schemaVersion = steps.length;

/**
 * Brings a database to {@link schemaVersion}, all or nothing; the version that it had. Fails with `conflict` when a newer
 * release has written it, before it changes anything.
 */
export async function migrate(runner: SqlRunner, dialect: SqlDialect): Promise<number> {
  const bringForward = async (execute: SqlExecute) => {
    const version = await readVersion(execute, dialect);
    if (version > schemaVersion) throw newerSchema(version);
    for (const statement of statementsAfter(version, dialect)) await execute(statement, []);
    return version;
  };
  return runner.transaction(bringForward, { isAlone: true });
}

/** The statements that bring a database of a version to {@link schemaVersion}; 0: it has no table yet. */
export function statementsAfter(version: number, dialect: SqlDialect): string[] {
  if (version === schemaVersion) return [];
  return [
    ...(version === 0 ? dialect.foundation : []),
    ...steps.slice(version).flatMap((step) => step(dialect)),
    `update meta_version set version = ${schemaVersion}`,
  ];
}

/** The statements that make the table of the version. */
export const versionTable = [
  'create table meta_version (version integer not null)',
  'insert into meta_version (version) values (0)',
];

async function readVersion(execute: SqlExecute, dialect: SqlDialect): Promise<number> {
  const tables = dialect.tablesNamed('meta_version');
  const { rows: found } = await execute(tables.text(dialect.parameter), tables.values as SqlValue[]);
  if (Number(found[0].count) === 0) for (const statement of versionTable) await execute(statement, []);
  const { rows } = await execute('select version from meta_version', []);
  return Number(rows[0]?.version ?? 0);
}

function newerSchema(version: number): AppError {
  return conflict(
    `the data was written by a newer release (schema version ${version}, this release knows up to ${schemaVersion}): run that release or a newer one`,
  );
}

/** What signals and items have in common. */
function resourceColumns({ textType: text }: SqlDialect): string {
  return `name ${text} not null, description ${text} not null, value_type ${text} not null,
    source_type ${text} not null, eng_unit ${text} not null, sample_interval_us bigint, gap_detection_us bigint,
    labels ${text} not null, enum_values ${text} not null, annotations ${text} not null,
    created_at_ms bigint not null, updated_at_ms bigint not null`;
}

function labelTable(name: string, { textType: text, clusteredEnd }: SqlDialect): string {
  return `create table ${name} (resource ${text} not null, key ${text} not null, value ${text} not null,
    constraint ${name}_key primary key (resource, key, value)) ${clusteredEnd}`;
}

/** Step 1. The indexes are of what filters name often, and of what pages are sorted by. */
function createTables(dialect: SqlDialect): string[] {
  const { textType: text, numberKeyType } = dialect;
  return [
    `create table integration (id ${text} not null primary key, name ${text} not null, grants ${text} not null,
      created_at_ms bigint not null)`,
    `create table credential (id ${text} not null primary key, integration ${text} not null, type ${text} not null,
      label ${text} not null, secret_sha256 ${text} not null, created_at_ms bigint not null, last_used_at_ms bigint,
      expires_at_ms bigint)`,
    `create table signing_key (id ${text} not null primary key, secret ${text} not null,
      created_at_ms bigint not null)`,
    `create table signal (number ${numberKeyType} not null primary key, id ${text} not null unique,
      integration ${text} not null, input ${text} not null, item ${text}, ${resourceColumns(dialect)},
      constraint signal_by_input_key unique (integration, input))`,
    `create table item (id ${text} not null primary key, visible integer not null, ${resourceColumns(dialect)})`,
    labelTable('signal_label', dialect),
    labelTable('item_label', dialect),
    'create index credential_by_integration on credential (integration)',
    'create index signal_by_integration_id on signal (integration, id)',
    'create index signal_by_input on signal (input)',
    'create index signal_by_item on signal (item)',
    'create index signal_by_created_at_ms on signal (created_at_ms)',
    'create index item_by_created_at_ms on item (created_at_ms)',
    'create index signal_label_by_key_value_resource on signal_label (key, value, resource)',
    'create index item_label_by_key_value_resource on item_label (key, value, resource)',
    `create table revision (topic ${text} not null primary key, number bigint not null)`,
    "insert into revision (topic, number) values ('identity', 0), ('signals', 0)",
    `create table sequence (name ${text} not null primary key, next bigint not null)`,
    "insert into sequence (name, next) values ('signal', 1)",
  ];
}

/** Step 2: plans, metering and the audit (L4). */
function createPlansUsageAudit({ textType: text, numberKeyType, clusteredEnd }: SqlDialect): string[] {
  return [
    `alter table integration add column plan ${text} default 'default' not null`,
    `create table plan (name ${text} not null primary key, signals_max bigint, items_max bigint,
      points_per_day_max bigint, rates ${text} not null, is_hard integer not null)`,
    "insert into plan (name, rates, is_hard) values ('default', '{}', 1)",
    "insert into revision (topic, number) values ('plans', 0)",
    `create table usage (day integer not null, integration ${text} not null, points bigint not null,
      requests bigint not null, bytes_in bigint not null, signals bigint not null, items bigint not null,
      rejected bigint not null, points_over bigint not null, requests_over bigint not null,
      signals_over bigint not null, items_over bigint not null,
      constraint usage_key primary key (day, integration)) ${clusteredEnd}`,
    `create table audit (seq ${numberKeyType} not null primary key, time_ms bigint not null, actor ${text} not null,
      origin ${text} not null, action ${text} not null, target ${text} not null, change ${text} not null,
      previous ${text} not null, hash ${text} not null)`,
  ];
}

/** Step 3: people, their sessions, and what they choose for the instance. */
function createPeople({ textType: text }: SqlDialect): string[] {
  return [
    `create table person (id ${text} not null primary key, name ${text} not null, role ${text} not null,
      password_hash ${text} not null, created_at_ms bigint not null, updated_at_ms bigint not null)`,
    `create table session (id ${text} not null primary key, person ${text} not null, token_sha256 ${text} not null,
      created_at_ms bigint not null, used_at_ms bigint not null, expires_at_ms bigint not null,
      address ${text} not null, user_agent ${text} not null)`,
    `create table preference (key ${text} not null primary key, value ${text} not null)`,
    "insert into revision (topic, number) values ('people', 0)",
  ];
}

/** Step 4: rules of retention (L5). */
function createRetention({ textType: text }: SqlDialect): string[] {
  return [`create table retention_rule (scope ${text} not null primary key, keep ${text})`];
}

/** Step 5: views of the explorer that people have saved (A5g). */
function createSavedViews({ textType: text }: SqlDialect): string[] {
  return [
    `create table saved_view (id ${text} not null primary key, name ${text} not null, query ${text} not null,
      owner ${text} not null, created_at_ms bigint not null, updated_at_ms bigint not null)`,
  ];
}

/** Step 6: integrations can be disabled (A1b), and credentials know where they were used last (A4). */
function addDisabledAndUsePlace({ textType: text }: SqlDialect): string[] {
  return [
    'alter table integration add column disabled_at_ms bigint',
    `alter table credential add column last_used_address ${text}`,
    `alter table credential add column last_used_agent ${text}`,
  ];
}

/** Step 7: an integration keeps when it was seen, also when the credential that it used is gone (A4). */
function addLastSeen(): string[] {
  return [
    'alter table integration add column last_seen_at_ms bigint',
    `update integration set last_seen_at_ms =
      (select max(last_used_at_ms) from credential where credential.integration = integration.id)`,
  ];
}

/** Step 8: publishing rules (P1). */
function createPublishRules({ textType: text }: SqlDialect): string[] {
  return [
    `create table publish_rule (id ${text} not null primary key, name ${text} not null, position bigint not null,
      is_enabled integer not null, integration ${text}, filter ${text} not null, filter_text ${text} not null,
      item ${text} not null, maps ${text} not null, joins ${text} not null, overwrite integer not null,
      created_at_ms bigint not null, updated_at_ms bigint not null)`,
  ];
}

/** Step 9: that the store is a copy of another one, which may not be complete. */
function createTransfer({ textType: text }: SqlDialect): string[] {
  return [
    `create table transfer (id integer not null primary key, source ${text} not null, started_at_ms bigint not null,
      done_signal bigint not null, finished_at_ms bigint)`,
  ];
}

/** Step 10: writes of points that are under way, on the nodes of one service (N1). */
function createOpenWrites({ openWrites }: SqlDialect): readonly string[] {
  return openWrites;
}

/** Step 11: calculated items, and the versions of their calculations (C1, C7). */
function addCalculations({ textType: text, clusteredEnd }: SqlDialect): string[] {
  return [
    `alter table item add column calculation ${text}`,
    'create index item_by_calculation on item (id) where calculation is not null',
    `create table calculation_version (item ${text} not null, version integer not null, calculation ${text} not null,
      actor ${text} not null, saved_at_ms bigint not null,
      constraint calculation_version_key primary key (item, version)) ${clusteredEnd}`,
  ];
}

/** Step 12: sessions of the message broker that outlast their connections (M3c), and what waits for them. */
function createBrokerSessions({ textType: text, clusteredEnd }: SqlDialect): string[] {
  return [
    `create table broker_session (id ${text} not null primary key, integration ${text} not null,
      owner ${text} not null, filters ${text} not null, place ${text}, left_at_ms bigint)`,
    `create table broker_queue (session ${text} not null, last_seq bigint not null, count bigint not null,
      bytes bigint not null, messages ${text} not null,
      constraint broker_queue_key primary key (session, last_seq)) ${clusteredEnd}`,
  ];
}

/** Step 13: where in time points have changed of late, for what nodes remember of them (N1). */
function createPointChanges({ pointChanges }: SqlDialect): readonly string[] {
  return pointChanges;
}

/** Step 14: by its number, a flush of usage whose answer was lost is recognised when it comes again (L4). */
function createUsageFlushes({ textType: text }: SqlDialect): string[] {
  return [
    `create table usage_flush (writer ${text} not null primary key, number bigint not null, day integer not null)`,
  ];
}
