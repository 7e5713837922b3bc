/** What the methods call: the services of the domain that index.ts hands to every operation. */
import type { Deletion } from '#domain/deletion/deletion';
import type { Ingest } from '#domain/ingest/ingest';
import type { Query } from '#domain/query/query';
import type { Signals } from '#domain/signals/signals';
import type { Limits } from '#model/limits';
import type { ConsoleServices } from './console/console-domain.ts';

/** Knows which integrations there are. */
export interface Integrations {
  listIntegrations(): Promise<readonly { id: string }[]>;
}

/** The domain as the methods see it. */
export interface Domain {
  integrations: Integrations;
  signals: Signals;
  ingest: Ingest;
  query: Query;
  deletion: Deletion;
  limits: Limits;
  /** What only the console's methods call. */
  console: ConsoleServices;
}
