/** A separate listener for `GET /metrics`, in plain HTTP, for an address that only the monitoring can reach. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log, Random } from '#model/environment';
import { TraceSource } from '#protocol/trace';
import { Exchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';

/** A listener that can be started. */
export interface MetricsListener {
  /** Starts listening and returns the port; port 0 selects a free one. */
  listen(host: string, port: number): Promise<number>;
  close(): Promise<void>;
}

const timeoutMs = 10_000;
const connectionsMax = 100;

/** Creates a listener that serves only this route. */
export function createMetricsListener(
  route: HttpRoute,
  { random, log }: { random: Random; log: Log },
): MetricsListener {
  const traces = new TraceSource(random);
  const server = createServer(
    { requestTimeout: timeoutMs, headersTimeout: timeoutMs },
    (request, response) => {
      const exchange = newExchange(request, response, traces);
      serve(route, exchange).catch((error: unknown) => answerFailure(exchange, error, log));
    },
  );
  server.maxConnections = connectionsMax;
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(route: HttpRoute, exchange: Exchange): Promise<void> {
  const [path] = (exchange.request.url ?? '/').split('?', 1);
  if (path !== route.path) throw new HttpProblem(404, `There is nothing here but ${route.path}`);
  const { method } = exchange.request;
  if (method !== 'GET' && method !== 'HEAD')
    throw new HttpProblem(405, 'This path takes GET and HEAD', { allow: 'GET, HEAD' });
  await route.serve(exchange);
}

function newExchange(request: IncomingMessage, response: ServerResponse, traces: TraceSource): Exchange {
  const { traceparent } = request.headers;
  return new Exchange(request, response, {
    trace: traces.next(Array.isArray(traceparent) ? undefined : traceparent),
    address: request.socket.remoteAddress ?? '',
    isSecure: false,
    timeoutMs,
    endsConnection: () => false,
  });
}
