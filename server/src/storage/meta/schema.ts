/** The tables of the metadata after the latest migration, typed for the query builder. */
import { DummyDriver, Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';

interface IntegrationTable {
  id: string;
  name: string;
  /** A JSON array. */
  grants: string;
  plan: string;
  created_at_ms: number;
  disabled_at_ms: number | null;
  last_seen_at_ms: number | null;
}

interface CredentialTable {
  id: string;
  integration: string;
  type: string;
  label: string;
  secret_sha256: string;
  created_at_ms: number;
  last_used_at_ms: number | null;
  last_used_address: string | null;
  last_used_agent: string | null;
  expires_at_ms: number | null;
}

interface SigningKeyTable {
  id: string;
  secret: string;
  created_at_ms: number;
}

/** What signals and items have in common; the three maps are JSON objects. */
interface ResourceTable {
  id: string;
  name: string;
  description: string;
  value_type: string;
  source_type: string;
  eng_unit: string;
  sample_interval_us: number | null;
  gap_detection_us: number | null;
  labels: string;
  enum_values: string;
  annotations: string;
  created_at_ms: number;
  updated_at_ms: number;
}

interface SignalTable extends ResourceTable {
  number: number;
  integration: string;
  input: string;
  item: string | null;
}

interface ItemTable extends ResourceTable {
  /** 0 or 1. */
  visible: number;
}

/** The labels once more, one row a value, so that an index answers for them. */
interface LabelTable {
  resource: string;
  key: string;
  value: string;
}

interface PlanTable {
  name: string;
  signals_max: number | null;
  items_max: number | null;
  points_per_day_max: number | null;
  /** A JSON object: method → rate. */
  rates: string;
  /** 0 or 1. */
  is_hard: number;
}

/** Clustered by day, so that deleting old days is cheap. */
interface UsageTable {
  day: number;
  integration: string;
  points: number;
  requests: number;
  bytes_in: number;
  signals: number;
  items: number;
  rejected: number;
  points_over: number;
  requests_over: number;
  signals_over: number;
  items_over: number;
}

interface AuditTable {
  seq: number;
  time_ms: number;
  actor: string;
  origin: string;
  action: string;
  target: string;
  /** JSON. */
  change: string;
  previous: string;
  hash: string;
}

interface PersonTable {
  id: string;
  name: string;
  role: string;
  password_hash: string;
  created_at_ms: number;
  updated_at_ms: number;
}

interface SessionTable {
  id: string;
  person: string;
  token_sha256: string;
  created_at_ms: number;
  used_at_ms: number;
  expires_at_ms: number;
  address: string;
  user_agent: string;
}

interface SavedViewTable {
  id: string;
  name: string;
  query: string;
  owner: string;
  created_at_ms: number;
  updated_at_ms: number;
}

/** Table name → its columns. */
export interface Schema {
  integration: IntegrationTable;
  credential: CredentialTable;
  signing_key: SigningKeyTable;
  signal: SignalTable;
  item: ItemTable;
  signal_label: LabelTable;
  item_label: LabelTable;
  plan: PlanTable;
  usage: UsageTable;
  audit: AuditTable;
  /** Grows with every change of a topic; followed by all processes. */
  revision: { topic: string; number: number };
  person: PersonTable;
  session: SessionTable;
  /** `keep` is a duration (R4), or null: unlimited. */
  retention_rule: { scope: string; keep: string | null };
  saved_view: SavedViewTable;
  preference: { key: string; value: string };
  /** The next number to give to a signal. */
  sequence: { name: string; next: number };
}

/** Builds and compiles queries; a {@link SqlRunner} executes them. */
export type Builder = Kysely<Schema>;

/** A builder that writes one dialect's SQL, and never executes by itself. */
export function createBuilder(dialect: SqlDialect): Builder {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: () => {
        throw new Error('BUG: the schema is known, not looked up');
      },
    },
  });
}
