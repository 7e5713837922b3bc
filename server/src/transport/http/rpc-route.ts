/** `POST /v1/rpc`: JSON-RPC over HTTP (W1, W5, W6). */
import type { Accounts } from '#load/account';
import type { Ticket } from '#load/ticket';
import type { Caller } from '#model/caller';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import { type Answer, FrameStream } from '#protocol/answer';
import { arrowType } from '#protocol/arrow/format';
import type { Call } from '#protocol/method';
import type { Rpc } from '#protocol/rpc';
import { parseVersion, type Version, versions } from '#protocol/version';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import { type Body, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { isArrow, jsonType, prefersArrow } from './media-type.ts';
import { HttpProblem } from './problem.ts';
import { queryOf } from './query.ts';

/** Options of the route. */
export interface RpcRouteOptions extends AuthenticateOptions {
  rpc: Rpc;
  accounts: Accounts;
  limits: Pick<Limits, 'bodyBytesMax'>;
}

/** Serves one request. Rejects with an `HttpProblem` for errors of HTTP, when no call was made. */
export async function serveRpc(options: RpcRouteOptions, exchange: Exchange): Promise<void> {
  const { rpc, accounts, limits } = options;
  const caller = await authenticate(options, exchange);
  const version = readVersion(exchange.header('x-api-version'));
  const isStream = isArrow(exchange.header('content-type'));
  exchange.identify(caller, accounts);
  const body = await readBody(exchange, limits.bodyBytesMax);
  const call = new HttpCall(exchange, caller, version);
  const answer = await answerOf(rpc, exchange, body, { call, isStream });
  if (answer === null) exchange.sendEmpty(204, headersOf(version));
  else await exchange.sendAnswer(typeOf(answer), answer, headersOf(version));
}

/** Not `finally` of a promise, which makes three more. */
async function answerOf(
  rpc: Rpc,
  { request }: Exchange,
  { bytes, free }: Body,
  { call, isStream }: { call: Call; isStream: boolean },
): Promise<Answer | null> {
  try {
    return await (isStream ? rpc.answerStream(bytes, queryOf(request), call) : rpc.answer(bytes, call, free));
  } finally {
    free();
  }
}

function typeOf(answer: Answer): string {
  return answer instanceof FrameStream ? arrowType : jsonType;
}

/** A call over HTTP. */
export class HttpCall implements Call {
  readonly caller: Caller;
  readonly version: Version;
  readonly traceId: string;
  readonly wantsArrow: boolean;
  plan: Call['plan'] = undefined;
  memory: Call['memory'] = undefined;
  cancellation: Call['cancellation'] = undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, caller: Caller, version: Version) {
    this.caller = caller;
    this.version = version;
    this.traceId = exchange.trace.traceId;
    this.wantsArrow = prefersArrow(exchange.header('accept'));
    this.#exchange = exchange;
    exchange.hasCall = true;
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
    const { signal } = this.#exchange;
    return this.cancellation?.under(signal) ?? signal;
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
