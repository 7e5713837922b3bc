/** All services of the domain over one store: created in the order in which they need each other, closed in the reverse order. */
import type { Environment } from '#model/environment';
import type { Limits } from '#model/limits';
import { XidSource } from '#model/xid';
import type { Coordination } from '#storage/coordination';
import type { MetaStore } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { soleCoordination } from '#threads/coordination';
import { NumberTables } from '#threads/number-table';
import { Audit } from './audit/audit.ts';
import { Calculations } from './calculations/calculations.ts';
import { Deletion } from './deletion/deletion.ts';
import { Export } from './export/export.ts';
import { apiUrlOf } from './identity/credentials-file.ts';
import { Identity, type IdentityOptions } from './identity/identity.ts';
import { Ingest, type IngestOptions } from './ingest/ingest.ts';
import { Live } from './live/live.ts';
import { BrokerTraffic } from './overview/broker-traffic.ts';
import { History } from './overview/history.ts';
import { Latest } from './overview/latest.ts';
import { Overview } from './overview/overview.ts';
import { Recency } from './overview/recency.ts';
import { RecentErrors } from './overview/recent-errors.ts';
import { Removal } from './overview/removal.ts';
import { Sizes } from './overview/sizes.ts';
import { Spacing } from './overview/spacing.ts';
import { openPeople } from './people/open.ts';
import type { PasswordCost } from './people/password.ts';
import { PlanCache } from './plans/plan-cache.ts';
import { Plans } from './plans/plans.ts';
import { Quota } from './plans/quota.ts';
import { PublishRules } from './publishing/publish-rules.ts';
import { Query } from './query/query.ts';
import { Retention } from './retention/retention.ts';
import { Signals } from './signals/signals.ts';
import { Usage } from './usage/usage.ts';

/** An open store. */
export interface Store {
  meta: MetaStore;
  series: SeriesStore;
  close(): Promise<void>;
}

/** Options of {@link openDomain}. */
export interface DomainOptions {
  /** Read at each use. */
  limits: Limits;
  /** The base URL of the service for clients, without `/v1/`. */
  baseUrl: string;
  /** Further audiences that tokens are requested for (A2); default none. */
  audiences?: readonly string[];
  /** With the other members of the service; default: there are none. */
  coordination?: Coordination;
  /** What the threads of this process share; default: there is one thread. */
  tables?: NumberTables;
  /** Recent failures, if their reports begin before the domain is open. */
  errors?: RecentErrors;
  /** Called after every acknowledged insert with the number of its points. */
  onInserted?: IngestOptions['onInserted'];
  /** What the first administrator has to enter; default: a new code. */
  setupCode?: string;
  /** The cost of password hashes; tests use a lower one. */
  passwordCost?: PasswordCost;
}

/** The services; `close` waits for pending work and closes the store too. */
export type Domain = Awaited<ReturnType<typeof openDomain>>;

/** Creates the services over a store, which it closes if it fails. */
export async function openDomain(store: Store, options: DomainOptions, environment: Environment) {
  await using opening = new AsyncDisposableStack();
  opening.defer(() => store.close());
  const closing = <T extends { close(): unknown }>(service: T): T => {
    opening.defer(async () => void (await service.close()));
    return service;
  };
  const { meta, series } = store;
  const ids = new XidSource(environment.clock, environment.random);
  const { tables = new NumberTables(), coordination = soleCoordination(environment.stopwatch) } = options;
  const shared = { ...options, ...environment, tables, coordination, meta, series, ids };
  const apiUrl = apiUrlOf(options.baseUrl);
  const errors = options.errors ?? new RecentErrors(shared);
  const identity = closing(await Identity.open({ ...shared, apiUrl, onRefused: noteRefusal(errors) }));
  const planCache = closing(new PlanCache(meta, environment.log));
  await planCache.reload();
  const usage = closing(await Usage.open(shared));
  const rates = {
    callRates: coordination.rates('plan'),
    newSignalRates: coordination.rates('plan', 'new signals'),
  };
  const quota = new Quota({ ...shared, ...rates, cache: planCache, usage });
  const audit = closing(new Audit(shared));
  const publishRules = new PublishRules({ ...shared, accounts: quota });
  const signals = closing(new Signals({ ...shared, accounts: quota, publishRules }));
  const ingest = new Ingest({ ...shared, signals });
  const live = closing(new Live(shared));
  const retention = closing(new Retention(shared));
  const { close: closePeople, catchUp: catchUpWithPeople, ...people } = await openPeople(shared);
  opening.defer(closePeople);
  const overview = closing(new Overview({ ...shared, identity, usage, errors }));
  const close = opening.move();
  return {
    ...{
      meta,
      series,
      apiUrl,
      limits: options.limits,
      errors,
      identity,
      usage,
      quota,
      plans: new Plans({ ...shared, cache: planCache }),
      audit,
      publishRules,
      signals,
      ingest,
      query: new Query(shared),
      live,
      deletion: new Deletion(shared),
      retention,
    },
    ...people,
    overview,
    ...figuresOf({ ...store, ...shared, identity, errors }),
    /** Learns of all changes of identities, plans and people that other threads have made; null when there are none. */
    catchUp: () => allOf([identity.catchUp(), planCache.catchUp(), catchUpWithPeople()]),
    close: () => close.disposeAsync(),
  };
}

/** What failures belong to. */
interface FailureSources {
  identity: Identity;
  errors: RecentErrors;
  coordination: Coordination;
}

/** What the console shows beside the overview, exports, and calculated items. */
function figuresOf(
  shared: Store & Environment & Pick<DomainOptions, 'limits'> & FailureSources & { ids: XidSource },
) {
  const traffic = new BrokerTraffic(shared);
  return {
    calculations: new Calculations(shared),
    recency: new Recency(shared),
    traffic,
    removal: new Removal({ ...shared, traffic }),
    latest: new Latest(shared),
    exports: new Export(shared),
    history: new History(shared),
    sizes: new Sizes(shared),
    spacing: new Spacing(shared),
  };
}

function allOf(loads: readonly (Promise<unknown> | null)[]): Promise<unknown> | null {
  return loads.every((load) => load === null) ? null : Promise.all(loads);
}

/** Records rejected credentials as failures of their integration, although no call was made. */
function noteRefusal(errors: RecentErrors): IdentityOptions['onRefused'] {
  const nothing = { method: null, code: 401, path: null, problem: null };
  return (integration, message, { address, traceId }) =>
    errors.note({ integration, message, address, traceId, ...nothing });
}
