/** A separate listener for `GET /metrics`, in plain HTTP, for an address that only the monitoring can reach. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log, Random } from '#model/environment';
import { TraceSource } from '#protocol/trace';
import { Exchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import type { HttpRoute } from './route.ts';
import { PathRouter } from './router.ts';

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
  const router = new PathRouter([route], '');
  const server = createServer(
    { requestTimeout: timeoutMs, headersTimeout: timeoutMs },
    (request, response) => {
      const exchange = newExchange(request, response, traces);
      const serving = Promise.resolve(router.find(request).serve(exchange));
      serving.catch((error: unknown) => answerFailure(exchange, error, log));
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
