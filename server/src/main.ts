/** The composition root: every floor is wired to the next here, and nowhere else. */
import { createServer } from 'node:net';
import { Audit } from '#domain/audit/audit';
import { apiUrlOf } from '#domain/identity/credentials-file';
import { Identity } from '#domain/identity/identity';
import { Ingest } from '#domain/ingest/ingest';
import { PlanBook } from '#domain/plans/plan-book';
import { Plans } from '#domain/plans/plans';
import { Quota } from '#domain/plans/quota';
import { Query } from '#domain/query/query';
import { Signals } from '#domain/signals/signals';
import { Usage } from '#domain/usage/usage';
import { methods } from '#methods/index';
import type { Limits } from '#model/limits';
import type { Clock, Log, Random } from '#model/world';
import { XidSource } from '#model/xid';
import { Rpc } from '#protocol/rpc';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { createHttpServer } from '#transport/http/server';
import type { TlsFiles } from '#transport/http/tls';
import { httpUrl } from './http-url.ts';

/** What the service knows of the world outside. */
export interface World {
  clock: Clock;
  random: Random;
  log: Log;
}

/** What {@link openDomain} opens. */
export interface DomainOptions {
  /** The data directory; made where it is missing. */
  directory: string;
  limits: Limits;
  /** Where clients reach the service, without `/v1/`. */
  baseUrl: string;
  /** Whether this process serves the directory: there is one such process at most. Default false. */
  serving?: boolean;
}

/** The service without its transports. */
export interface Domain {
  identity: Identity;
  signals: Signals;
  ingest: Ingest;
  query: Query;
  plans: Plans;
  quota: Quota;
  usage: Usage;
  audit: Audit;
  series: SeriesStore;
  /** Settles what is under way and closes the store. */
  close(): Promise<void>;
}

/** Opens a data directory and the domain over it. Fails as `openSqlite` does. */
export async function openDomain(options: DomainOptions, { clock, random, log }: World): Promise<Domain> {
  const { limits, baseUrl } = options;
  const store = await openSqlite({ ...options, clock, log });
  const { meta, series } = store;
  const ids = new XidSource(clock, random);
  const apiUrl = apiUrlOf(baseUrl);
  const tokenTtlS = limits.tokenTtlS;
  const identity = await Identity.open({ meta, clock, random, ids, log, tokenTtlS, apiUrl }).catch(
    async (error) => {
      await store.close();
      throw error;
    },
  );
  const book = new PlanBook(meta, log);
  const usage = await Usage.open({ meta, clock, log, daysMax: limits.usageDaysMax });
  await book.reload();
  const quota = new Quota({ book, usage, clock });
  const plans = new Plans({ meta, clock, book });
  const audit = new Audit({ meta, clock });
  const signals = new Signals({ meta, clock, ids, quota });
  const ingest = new Ingest({ signals, series, quota });
  const query = new Query({ meta, series, clock, limits });
  const close = async () => {
    await identity.close();
    await usage.close();
    await book.close();
    signals.close();
    await store.close();
  };
  return { identity, signals, ingest, query, plans, quota, usage, audit, series, close };
}

/** How long open calls may take to end; the store needs the rest of the ten seconds that a stop may last. */
const drainMs = 7_000;

/** What {@link startService} starts. */
export interface ServiceOptions {
  directory: string;
  limits: Limits;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Null: the address that is bound. */
  baseUrl: string | null;
  /** Certificate and key; null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** Proxies whose X-Forwarded-… is believed; default none. */
  trustedProxies?: readonly string[];
  /** Names of the data-reading namespace, the primary one first (W8). */
  namespaces: readonly string[];
  /** Of the program. */
  version: string;
}

/** A running service. */
export interface Service {
  /** The address that is bound, `http://HOST:PORT` or `https://…`. */
  url: string;
  /** Where clients reach it, without `/v1/`. */
  baseUrl: string;
  domain: Domain;
  /** Stops accepting, lets open calls end, closes the store. */
  close(): Promise<void>;
}

/** Starts the service. Fails as {@link openDomain} does, or with the system's error when the address cannot be had. */
export async function startService(options: ServiceOptions, world: World): Promise<Service> {
  const { random, log } = world;
  const { directory, limits, host, namespaces, version, tls = null, trustedProxies } = options;
  const port = options.port === 0 ? await freePort(host) : options.port;
  const url = httpUrl(host, port, tls === null ? 'http' : 'https');
  const baseUrl = options.baseUrl ?? url;
  const domain = await openDomain({ directory, limits, baseUrl, serving: true }, world);
  const info = { title: 'Tidemark', programVersion: version, rpcUrl: `${apiUrlOf(baseUrl)}rpc`, namespaces };
  const rpc = new Rpc({
    methods: methods({ ...domain, integrations: domain.identity, limits }),
    info,
    limits,
    log,
    meter: domain.quota,
  });
  const pathPrefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const http = createHttpServer({
    rpc,
    authenticator: domain.identity,
    limits,
    random,
    log,
    pathPrefix,
    tls,
    trustedProxies,
  });
  const close = async () => {
    await http.close(drainMs);
    await domain.close();
  };
  try {
    await http.listen(host, port);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, baseUrl, domain, close };
}

/** A port that was free a moment ago: tokens name the address, so it is chosen before the service is put together. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
