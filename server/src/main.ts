/** The composition root: all layers are connected here, and nowhere else. */
import type { Domain } from '#domain/domain';
import { Host } from '#domain/overview/host';
import { RecentErrors } from '#domain/overview/recent-errors';
import { Load } from '#load/load';
import { methods } from '#methods/index';
import type { Environment } from '#model/environment';
import { liveLimits } from '#model/limits';
import { Activity } from '#observe/activity';
import { addGauges } from '#observe/gauges';
import { healthChecks } from '#observe/health';
import { Observation } from '#observe/observation';
import { Rpc } from '#protocol/rpc';
import { consoleHttp } from '#transport/http/console/console';
import { freePort } from '#transport/http/free-port';
import { metadataRoutes } from '#transport/http/metadata-route';
import { createMetrics } from '#transport/http/metrics';
import { createHttpServer } from '#transport/http/server';
import { consoleDirectory } from './console-directory.ts';
import { httpUrl } from './http-url.ts';
import { openDirectory } from './open-directory.ts';
import type { Reloadable, ServiceOptions } from './service-options.ts';

/** Time for open calls to end; the store needs the remainder of the ten seconds of a shutdown. */
const drainMs = 7_000;

/** A running service. */
export interface Service {
  /** The address that is bound, `http://HOST:PORT` or `https://…`. */
  url: string;
  /** The base URL for clients, without `/v1/`. */
  baseUrl: string;
  domain: Domain;
  /** Applies the reloadable part of a new configuration, and reloads the certificate. */
  reload(next: Reloadable): void;
  /** Stops accepting, lets open calls end, closes the store. */
  close(): Promise<void>;
}

/** Starts the service. Fails as {@link openDirectory} does, or with the system's error when the address cannot be bound. */
export async function startService(options: ServiceOptions, environment: Environment): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { directory, version, namespaces, tls = null } = options;
  const limits = { ...options.limits }; // Read at each use, so that a reload takes effect.
  const port = options.port || (await freePort(options.host));
  const url = httpUrl(options.host, port, tls === null ? 'http' : 'https');
  const baseUrl = options.baseUrl ?? url;
  const shared = { ...options, ...environment, limits, baseUrl };

  const load = new Load(limits, environment.stopwatch);
  const errors = new RecentErrors(shared);
  const calls = new Activity(shared);
  const observation = new Observation({ ...shared, activity: calls, errors });
  const { metrics } = observation;

  const onInserted = (_: string, pointCount: number) => metrics.onInserted(pointCount);
  const domain = await openDirectory({ ...shared, errors, onInserted, serving: true }, environment);
  starting.defer(() => domain.close());
  const { series, audit, apiUrl } = domain;
  domain.retention.start();
  audit.keepFor(options.auditKeepDays ?? 0);

  const checks = healthChecks(directory, limits, () => series.scan({ sources: [] }));
  const host = new Host({ ...shared, series, load, checks });
  const rpc = new Rpc({
    ...shared,
    methods: calls.watch(methods({ ...domain, host, calls })),
    info: { title: 'Tidemark', programVersion: version, rpcUrl: `${apiUrl}rpc`, namespaces },
    onCall: (outcome) => observation.onCall(outcome),
  });

  const scrapes = createMetrics(() => metrics.render(), shared);
  starting.defer(() => scrapes.close());
  const loadDemo = async () => options.loadDemo?.(domain, baseUrl);
  const pages = await consoleHttp({ ...shared, loadDemo, gate: domain.signIns, files: consoleDirectory() });
  const http = createHttpServer({
    ...{ ...shared, ...pages, rpc, load, observer: observation, tracer: observation.tracing },
    authenticator: domain.identity,
    accounts: domain.quota,
    readyChecks: checks,
    routes: [...pages.routes, ...metadataRoutes(baseUrl), ...scrapes.routes],
  });
  starting.defer(() => http.close(drainMs));
  addGauges(metrics.registry, { directory, series, load, http });

  await scrapes.listen();
  await http.listen(options.host, port);

  const reload = (next: Reloadable) => {
    Object.assign(limits, liveLimits(next.limits));
    audit.keepFor(next.auditKeepDays);
    scrapes.setToken(next.metricsToken);
    http.reload();
  };
  const closing = starting.move();
  return { url, baseUrl, domain, reload, close: () => closing.disposeAsync() };
}
