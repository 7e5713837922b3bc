/** Routes that clients of InfluxDB know (I2): writes in line protocol of versions 1 and 2, and what clients ask before. */
import type { Accounts } from '#load/account';
import type { Limits } from '#model/limits';
import type { LineEndpoint } from '#protocol/line-protocol/line-endpoint';
import type { Precision } from '#protocol/line-protocol/value-scanner';
import { versionDefault } from '#protocol/version';
import { type AuthenticateOptions, authenticate } from '../authenticate.ts';
import { readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { jsonType } from '../media-type.ts';
import { HttpProblem } from '../problem.ts';
import { queryOf } from '../query.ts';
import type { HttpRoute } from '../route.ts';
import { HttpCall } from '../rpc-route.ts';
import { sendInfluxFailure, sendOutcome } from './influx-answer.ts';
import { credentialSource } from './influx-credentials.ts';
import { answerStatements } from './influx-query.ts';

/** Options of the routes. */
export interface InfluxOptions extends Pick<AuthenticateOptions, 'authenticator' | 'logins'> {
  lines: LineEndpoint;
  accounts: Accounts;
  limits: Pick<Limits, 'bodyBytesMax'>;
}

/** The version that clients are told: those that ask want to know whether it is 1 or 2, and both are served. */
const influxVersion = '1.8.10';

/** The most bytes of a body of `/query`. */
const statementBytesMax = 16 * 1024;

/** `precision` → the unit; version 1 has short names. */
const precisions: ReadonlyMap<string, Precision> = new Map([
  ...(['ns', 'us', 'ms', 's', 'm', 'h'] as const).map((unit) => [unit, unit] as const),
  ...(['', 'n'] as const).map((name) => [name, 'ns'] as const),
  ...(['u', 'µ'] as const).map((name) => [name, 'us'] as const),
]);

/** The routes. */
export function influxRoutes(options: InfluxOptions): HttpRoute[] {
  const answering = (serve: (options: InfluxOptions, exchange: Exchange) => Promise<void>) => {
    return (exchange: Exchange) =>
      serve(options, exchange).catch((error) => sendInfluxFailure(exchange, error));
  };
  const route = (method: HttpRoute['method'], path: string, serve: typeof serveWrite): HttpRoute => {
    return { method, path, needsService: true, serve: answering(serve) };
  };
  const open = (path: string, serve: HttpRoute['serve']): HttpRoute => {
    return { method: 'GET', path, needsService: false, serve };
  };
  return [
    route('POST', '/api/v2/write', serveWrite),
    route('POST', '/write', serveWrite),
    route('POST', '/query', serveQuery),
    route('GET', '/query', serveQuery),
    open('/ping', servePing),
  ];
}

async function serveWrite(options: InfluxOptions, exchange: Exchange): Promise<void> {
  const { lines, accounts, limits } = options;
  const query = queryOf(exchange.request);
  const { authenticator, logins } = options;
  const caller = await authenticate({ authenticator, logins }, credentialSource(exchange, query));
  exchange.identify(caller, accounts);
  const precision = precisions.get(query.get('precision') ?? '');
  if (precision === undefined)
    throw new HttpProblem(
      400,
      'invalid precision: must be ns, us, ms, s, m or h (version 1: n, u, ms, s, m, h)',
    );
  const body = await readBody(exchange, limits.bodyBytesMax);
  const call = new HttpCall(exchange, caller, versionDefault);
  const outcome = await lines.write(body.bytes, precision, call).finally(body.free);
  await sendOutcome(exchange, outcome);
}

/** Statements are in the URL, or in a form. */
async function serveQuery(options: InfluxOptions, exchange: Exchange): Promise<void> {
  const query = queryOf(exchange.request);
  const { authenticator, logins, accounts } = options;
  exchange.identify(
    await authenticate({ authenticator, logins }, credentialSource(exchange, query)),
    accounts,
  );
  const isForm = exchange.header('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  const body = await readBody(exchange, statementBytesMax);
  const form = new URLSearchParams(isForm ? body.bytes.toString('utf8') : '');
  body.free();
  const text = query.get('q') ?? form.get('q');
  if (text === null) throw new HttpProblem(400, 'missing required parameter "q"');
  const results = answerStatements(text, query.get('db') ?? form.get('db') ?? 'tidemark');
  await exchange.sendText(200, jsonType, JSON.stringify({ results }), versionHeaders);
}

const versionHeaders = {
  'cache-control': 'no-store',
  'x-influxdb-version': influxVersion,
  'x-influxdb-build': 'OSS',
};

async function servePing(exchange: Exchange): Promise<void> {
  if (!queryOf(exchange.request).has('verbose')) return exchange.sendEmpty(204, versionHeaders);
  await exchange.sendText(200, jsonType, JSON.stringify({ version: influxVersion }), versionHeaders);
}

/** `GET /health`: health as version 2 tells it; `unavailable` is why calls are not accepted now. */
export async function serveInfluxHealth(unavailable: string | null, exchange: Exchange): Promise<void> {
  const status = unavailable === null ? 'pass' : 'fail';
  const message = unavailable ?? 'ready for queries and writes';
  const body = { name: 'tidemark', message, status, checks: [], version: influxVersion };
  await exchange.sendText(unavailable === null ? 200 : 503, jsonType, JSON.stringify(body), {
    'cache-control': 'no-store',
  });
}
