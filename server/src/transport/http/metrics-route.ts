/**
 * `GET /metrics`: the service's figures as Prometheus reads them, for those who may see them. They show no payload, but how
 * much is going on, and a public network need not know that.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { parseBearer } from '#protocol/authorization';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';

/** The figures as text. */
export interface MetricsText {
  type: string;
  text: string;
}

/** Who may see them. */
export interface MetricsAccess {
  /** Whoever has it may ask from anywhere, and nobody else may; null: there is none. Looked at each time. */
  token: string | null;
  /** Who may without a token. Behind a proxy every caller looks like one of this machine. */
  without: 'anybody' | 'this-machine' | 'nobody';
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
    if (without === 'anybody' || (without === 'this-machine' && isLocal(exchange))) return;
    throw new HttpProblem(
      403,
      'Metrics are shown to this machine alone, unless a token or an address is configured',
    );
  }
  const given = parseBearer(exchange.header('authorization') ?? '');
  if (given !== null && isSame(given, token)) return;
  throw new HttpProblem(401, 'This needs the metrics token, as a Bearer token', {
    'www-authenticate': 'Bearer realm="tidemark metrics"',
  });
}

/** Whether the caller is a process of this machine that asked for this machine: no browser that was sent here by a page. */
function isLocal({ request }: Exchange): boolean {
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => request.headers[name] !== undefined,
  );
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  return !forwarded && isLoopback(request.socket.remoteAddress ?? '') && isLoopback(host);
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '').replace(/^::ffff:/, '');
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** In constant time, whatever the lengths. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
