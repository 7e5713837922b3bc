/** The services of the domain, which index.ts passes to every operation. */
import type { Deletion } from '#domain/deletion/deletion';
import type { Ingest } from '#domain/ingest/ingest';
import type { Query } from '#domain/query/query';
import type { Signals } from '#domain/signals/signals';
import type { Limits } from '#model/limits';
import type { ConsoleServices } from './console/console-domain.ts';

/** Looks up integrations. */
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
  /** The services for the console's methods. */
  console: ConsoleServices;
}
