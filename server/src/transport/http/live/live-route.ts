/** `GET /v1/live`: live values as server-sent events (N3-N6). */
import type { Accounts } from '#load/account';
import type { Load } from '#load/load';
import type { Caller } from '#model/caller';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { LiveRequest, LiveSource, LiveStream } from '#protocol/live';
import { type AuthenticateOptions, authenticate } from '../authenticate.ts';
import type { Exchange } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';
import type { HttpRoute } from '../route.ts';
import { eventStreamType } from './event-text.ts';
import { LiveSender } from './live-sender.ts';
import { StandingCheck } from './standing-check.ts';

/** Options of the route. */
export interface LiveRouteOptions extends AuthenticateOptions {
  live?: LiveSource;
  accounts: Accounts;
  load: Load;
  limits: Pick<Limits, 'requestTimeoutMs'>;
  catchUp?(): Promise<unknown> | null;
  /** Aborted when the service is about to end. */
  draining: AbortSignal;
}

/** The route; none when there are no live values. */
export function liveRoutes({ live, ...options }: LiveRouteOptions): HttpRoute[] {
  if (live === undefined) return [];
  const standing = new StandingCheck(options.catchUp);
  const serve = (exchange: Exchange) => serveLive({ ...options, live, standing }, exchange);
  return [{ method: 'GET', path: '/v1/live', needsService: true, serve }];
}

type ServeOptions = LiveRouteOptions & { live: LiveSource; standing: StandingCheck };

/** Serves one stream, for as long as the client stays and its credentials are good. */
async function serveLive(options: ServeOptions, exchange: Exchange): Promise<void> {
  const { live, accounts, standing, draining } = options;
  const caller = await authenticate(options, exchange);
  exchange.identify(caller, accounts);
  if (!live.mayWatch(caller)) throw new HttpProblem(403, 'Live values need the grant service');
  const request = readRequest(exchange);
  const { client } = exchange.ticket;
  const stream = await explained(live.open(caller, request, exchange.ticket, exchange.signal));
  const end = new AbortController();
  const leave = standing.add(() => mayStay(options, exchange), end);
  try {
    if (exchange.request.method === 'HEAD') return exchange.sendEmpty(200, headers);
    const response = exchange.openStream(eventStreamType, headers);
    response.once('close', () => end.abort());
    if (response.destroyed) end.abort();
    const ending = AbortSignal.any([end.signal, draining]);
    await new LiveSender({ ...options, stream, exchange, response, client, ending }).send();
  } finally {
    leave();
    stream.close();
  }
}

/** `no-transform` and the last one: proxies must neither compress nor hold back what is sent. */
const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };

/** Whether the credentials that a stream began with are still accepted, with the grant. */
async function mayStay(options: ServeOptions, exchange: Exchange): Promise<boolean> {
  const caller: Caller = await authenticate(options, exchange);
  return options.live.mayWatch(caller);
}

function readRequest(exchange: Exchange): LiveRequest {
  const { searchParams } = new URL(exchange.request.url ?? '/', 'http://localhost');
  const items = searchParams.get('items');
  const query = searchParams.get('query');
  return {
    items: items === null ? null : items.split(',').filter((id) => id !== ''),
    query: query === null ? undefined : parseQuery(query),
    after: exchange.header('last-event-id') || searchParams.get('after') || null,
  };
}

function parseQuery(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'query must be a resource query as JSON');
  }
}

/** The stream; errors of the request as problems. */
async function explained(opening: Promise<LiveStream>): Promise<LiveStream> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid-params') throw error;
    throw new HttpProblem(400, error.message, {}, { params: error.params ?? {} });
  }
}
