/** What a service is started with, and what of it can change while it runs. */
import type { Domain } from '#domain/domain';
import type { ConfigRow } from '#domain/overview/host';
import type { Limits } from '#model/limits';
import type { MetricsOptions } from '#transport/http/metrics';
import type { TlsFiles } from '#transport/http/tls';
import type { LinkTarget } from '#transport/mqtt/link/broker-link';
import type { MqttPorts } from '#transport/mqtt/mqtt';
import type { ClusterAddresses } from './open-cluster.ts';
import type { LogLevel } from './text-log.ts';

/** Options of a service thread, which can be sent to it. */
export interface ThreadOptions {
  /** The data directory; not used where there are addresses. */
  directory: string;
  /** Where metadata and points are, if not in the data directory; default null. */
  cluster?: ClusterAddresses | null;
  limits: Limits;
  /** Where clients reach the service. */
  baseUrl: string;
  /** Further audiences that tokens are requested for (A2); default none. */
  audiences?: readonly string[];
  /** Certificate and key; null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** Proxies whose X-Forwarded-… headers are trusted; default none. */
  trustedProxies?: readonly string[];
  /** Names of the data-reading namespace, the primary one first (W8). */
  namespaces: readonly string[];
  /** Days for which the audit log is kept; 0, the default: no limit. */
  auditKeepDays?: number;
  /** Access to the metrics: with the token, or over a separate address; with neither, from this machine only. */
  metrics?: MetricsOptions;
  /** Ports of the broker; default: there is none. */
  mqtt?: MqttPorts;
  /** An existing broker, of which the service is a client; null, the default: there is none. */
  existingBroker?: LinkTarget | null;
  /** What another broker proves itself with when it asks about its clients (M5); null, the default: none may ask. */
  mqttAuthToken?: string | null;
  /** Of the program. */
  version: string;
  logLevel: LogLevel;
  /** What the first administrator has to enter. */
  setupCode: string;
  /** The number of threads of the process; default 1. */
  threads?: number;
  /** Whether service threads run before all other threads, each on a processor of its own; default false. */
  runsFirst?: boolean;
}

/** Options of `startService`. */
export interface ServiceOptions extends Omit<ThreadOptions, 'baseUrl' | 'setupCode' | 'logLevel'> {
  host: string;
  /** 0: selects a free port. */
  port: number;
  /** Null: the address that is bound. */
  baseUrl: string | null;
  /** Number of threads that serve clients; default 1. */
  threads?: number;
  /** The lowest level that threads log; default `info`. */
  logLevel?: LogLevel;
  /** Settings and limits as the console shows them; default none. */
  config?: () => readonly ConfigRow[];
  /** Fills an empty service with the demo plant, if the first administrator has selected that. */
  loadDemo?: (domain: Domain, baseUrl: string) => Promise<void>;
}

/** The part of the configuration that can change while the service runs. */
export interface Reloadable {
  /** Limits that are fixed at start are not changed. */
  limits: Limits;
  auditKeepDays: number;
  /** Null: no token. */
  metricsToken: string | null;
  logLevel: LogLevel;
}
