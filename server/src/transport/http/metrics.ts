/**
 * `GET /metrics`: metrics in the format of Prometheus, with access control, since they contain no payload but reveal the activity
 * of the service; on the port of the service, or by a listener of their own.
 */
import { isLoopback } from '#model/address';
import type { Log, Random } from '#model/environment';
import { parseBearer } from '#protocol/authorization';
import type { Exchange } from './exchange.ts';
import { createMetricsListener } from './metrics-listener.ts';
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';
import { isSameSecret } from './same-secret.ts';

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

/** The metrics as text. */
export interface MetricsText {
  type: string;
  text: string;
}

/** Access to the metrics. */
export interface MetricsAccess {
  /** The bearer token that is required from any address; null: no token. Evaluated for each request. */
  token: string | null;
  /** Which clients have access if there is no token. */
  without: 'all' | 'local' | 'none';
}

/** The route. */
export function metricsRoute(render: () => Promise<MetricsText>, access: MetricsAccess): HttpRoute {
  return {
    method: 'GET',
    path: '/metrics',
    needsService: false,
    async serve(exchange) {
      checkAccess(access, exchange);
      const { type, text } = await render();
      await exchange.sendText(200, type, text, { 'cache-control': 'no-store' });
    },
  };
}

function checkAccess({ token, without }: MetricsAccess, exchange: Exchange): void {
  if (token === null) {
    if (without === 'all' || (without === 'local' && isLocal(exchange))) return;
    throw new HttpProblem(
      403,
      'Metrics are shown to this machine alone, unless a token or an address is configured',
    );
  }
  const given = parseBearer(exchange.header('authorization') ?? '');
  if (given !== null && isSameSecret(given, token)) return;
  throw new HttpProblem(401, 'This needs the metrics token, as a Bearer token', {
    'www-authenticate': 'Bearer realm="tidemark metrics"',
  });
}

/** Whether a local process has sent the request to a local host name; excludes browsers under DNS rebinding. */
function isLocal({ request }: Exchange): boolean {
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => request.headers[name] !== undefined,
  );
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  return !forwarded && isLoopback(request.socket.remoteAddress ?? '') && isLoopback(host);
}
