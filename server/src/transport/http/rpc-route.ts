/** `POST /v1/rpc`: JSON-RPC over HTTP (W1, W5, W6). */
import type { Accounts } from '#load/account';
import type { Ticket } from '#load/ticket';
import type { Caller } from '#model/caller';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import type { Call } from '#protocol/method';
import type { Rpc } from '#protocol/rpc';
import { parseVersion, type Version, versions } from '#protocol/version';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';

/** Options of the route. */
export interface RpcRouteOptions extends AuthenticateOptions {
  rpc: Rpc;
  accounts: Accounts;
  limits: Pick<Limits, 'bodyBytesMax'>;
}

const jsonType = 'application/json';

/** Serves one request. Rejects with an `HttpProblem` for errors of HTTP, when no call was made. */
export async function serveRpc(options: RpcRouteOptions, exchange: Exchange): Promise<void> {
  const { rpc, accounts, limits } = options;
  const caller = await authenticate(options, exchange);
  const version = readVersion(exchange.header('x-api-version'));
  checkType(exchange.header('content-type'));
  exchange.identify(caller, accounts);
  const body = await readBody(exchange, limits.bodyBytesMax);
  const call = new HttpCall(exchange, caller, version);
  const answer = await rpc.answer(body.bytes, call).finally(body.free);
  if (answer === null) exchange.sendEmpty(204, headersOf(version));
  else await exchange.sendAnswer(jsonType, answer, headersOf(version));
}

/** A call over HTTP. */
class HttpCall implements Call {
  readonly caller: Caller;
  readonly version: Version;
  readonly traceId: string;
  plan: Call['plan'] = undefined;
  memory: Call['memory'] = undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, caller: Caller, version: Version) {
    this.caller = caller;
    this.version = version;
    this.traceId = exchange.trace.traceId;
    this.#exchange = exchange;
  }

  get address(): string {
    return this.#exchange.address;
  }

  get ticket(): Ticket {
    return this.#exchange.ticket;
  }

  get rate(): RateStatus | undefined {
    return this.#exchange.rate ?? undefined;
  }

  set rate(rate: RateStatus) {
    this.#exchange.rate = rate;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

function headersOf(version: Version) {
  return { 'x-api-version': version, 'cache-control': 'no-store' };
}

/** The version in a header or query; 400 lists the known versions. */
export function readVersion(text: string | undefined): Version {
  const version = parseVersion(text?.trim());
  if (version !== null) return version;
  throw new HttpProblem(400, `X-API-Version must be one of ${versions.join(', ')}`);
}

const jsonTypes = /^application\/(?:json|json-rpc|jsonrequest|[\w.+-]+\+json)$/;
const charsets = /^charset="?(?:utf-?8|us-ascii)"?$/;

/** 415 when Content-Type is not JSON in UTF-8; the header may be absent (E3). */
function checkType(header: string | undefined): void {
  if (header === undefined || header === jsonType) return;
  const [type, ...parameters] = header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const hasCharset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (jsonTypes.test(type) && (hasCharset === undefined || charsets.test(hasCharset))) return;
  throw new HttpProblem(415, 'Content-Type must be application/json, in UTF-8');
}
