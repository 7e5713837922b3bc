/** `POST /v1/rpc`: from an HTTP request to a call and back (W1, W5, W6). */
import { type Caller, partyOf } from '#model/caller';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import { type Answer, answerBytes, answerText, isShort } from '#protocol/answer';
import type { Call } from '#protocol/method';
import type { Rpc } from '#protocol/rpc';
import { parseVersion, type Version, versions } from '#protocol/version';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import { freeBody, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Intake, Stay } from './intake.ts';
import { HttpProblem } from './problem.ts';
import { type Turns, turnBytesMin } from './turns.ts';

/** What the route works with. */
export interface RpcRouteOptions extends AuthenticateOptions {
  rpc: Rpc;
  limits: Pick<Limits, 'bodyBytesMax'>;
  intake: Intake;
  turns: Turns;
}

const jsonType = 'application/json';

/** Serves one request. Rejects with an `HttpProblem` where the transport is at fault, and no call was made. */
export async function serveRpc(options: RpcRouteOptions, exchange: Exchange): Promise<void> {
  const caller = await authenticate(options, exchange);
  const version = readVersion(exchange.header('x-api-version'));
  checkType(exchange.header('content-type'));
  exchange.caller = partyOf(caller);
  const stay = options.intake.enter(exchange.caller);
  try {
    await answerCall(options, exchange, stay, new HttpCall(exchange, caller, version));
  } finally {
    stay.leave();
  }
}

async function answerCall(
  options: RpcRouteOptions,
  exchange: Exchange,
  stay: Stay,
  call: Call,
): Promise<void> {
  const { rpc, turns, limits } = options;
  const body = await readBody(exchange, limits.bodyBytesMax, stay);
  const party = partyOf(call.caller);
  if (body.length > turnBytesMin) await turns.take(party, body.length);
  const answer = await rpc.answer(body, call).finally(() => freeBody(body));
  if (answer === null || isShort(answer)) return sendShort(exchange, call.version, answer);
  const release = rpc.admission.holdAnswer(party, answer);
  try {
    await exchange.sendStream(jsonType, answerBytes(answer), headersOf(call.version));
  } finally {
    release();
  }
}

/** A call that came by HTTP. */
class HttpCall implements Call {
  readonly caller: Caller;
  readonly version: Version;
  readonly traceId: string;
  plan: Call['plan'] = undefined;
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

function sendShort(exchange: Exchange, version: Version, answer: Answer | null): void | Promise<void> {
  if (answer === null) return exchange.sendEmpty(204, headersOf(version));
  return exchange.sendText(200, jsonType, answerText(answer), headersOf(version));
}

/** The version that a header or a query names; 400 with those that there are. */
export function readVersion(text: string | undefined): Version {
  const version = parseVersion(text?.trim());
  if (version !== null) return version;
  throw new HttpProblem(400, `X-API-Version must be one of ${versions.join(', ')}`);
}

const jsonTypes = /^application\/(?:json|json-rpc|jsonrequest|[\w.+-]+\+json)$/;
const charsets = /^charset="?(?:utf-?8|us-ascii)"?$/;

/** 415 when the body is said to be something else than JSON in UTF-8; saying nothing is fine (E3). */
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
