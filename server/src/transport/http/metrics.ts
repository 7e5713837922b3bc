/** Where the metrics are served: on the port of the service, or by a listener of their own. */
import { isLoopback } from '#model/address';
import type { Log, Random } from '#model/environment';
import { createMetricsListener } from './metrics-listener.ts';
import { type MetricsAccess, type MetricsText, metricsRoute } from './metrics-route.ts';
import type { HttpRoute } from './route.ts';

/** How the metrics are configured. */
export interface MetricsOptions {
  /** The bearer token that is required; null: none. */
  token: string | null;
  /** The address of a separate listener; null: there is none. */
  listen: { host: string; port: number } | null;
}

/** The metrics of a service. */
export interface MetricsEndpoint {
  /** Routes for the service's own server. */
  routes: readonly HttpRoute[];
  /** Requires another token from now on. */
  setToken(token: string | null): void;
  /** Starts the separate listener, if there is one. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the endpoint. Without a token a separate listener serves all clients, and the service's own port those on this machine;
 * behind a proxy it serves none, since all callers appear to be local there.
 */
export function createMetrics(
  render: () => Promise<MetricsText>,
  options: {
    metrics?: MetricsOptions;
    baseUrl: string;
    trustedProxies?: readonly string[];
    random: Random;
    log: Log;
  },
): MetricsEndpoint {
  const {
    baseUrl,
    trustedProxies = [],
    metrics: { token, listen } = { token: null, listen: null },
  } = options;
  const isProxied = trustedProxies.length > 0 || !isLoopback(new URL(baseUrl).hostname);
  const without = listen !== null ? 'all' : isProxied ? 'none' : 'local';
  const access: MetricsAccess = { token, without };
  const route = metricsRoute(render, access);
  const listener = listen === null ? null : createMetricsListener(route, options);
  return {
    routes: listener === null ? [route] : [],
    setToken(token) {
      access.token = token;
    },
    async listen() {
      if (listen !== null) await listener?.listen(listen.host, listen.port);
    },
    close: async () => listener?.close(),
  };
}
