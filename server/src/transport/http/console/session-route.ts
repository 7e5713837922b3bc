/** `console/session` and `console/setup`: the current session, signing in and out, and creating the first administrator. */
import { AppError } from '#model/error';
import type { Presence, SessionClient, SignInResult } from '#model/sign-in';
import { readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';
import type { HttpRoute } from '../route.ts';
import { requireSameOrigin } from './same-origin.ts';
import { authenticateSession, type SessionOptions, sessionChallenge } from './session.ts';
import { printCookie, printNoCookie, readCookie } from './session-cookie.ts';

/** Options of the routes. */
export interface SessionRouteOptions extends SessionOptions {
  /** Of the program; sent only to people who are signed in. */
  version: string;
  /** The configured address; sent during set-up and to people who are signed in, to compare it with the one that they use. */
  baseUrl: string;
  /** Fills an empty service with the demo plant, if the first administrator has selected that. */
  loadDemo?(): Promise<void>;
}

/** Maximum size of the body, which is a form with a few short fields. */
const bodyBytesMax = 16 * 1024;

/** The routes. */
export function sessionRoutes(options: SessionRouteOptions): HttpRoute[] {
  const session = { path: '/console/session', needsService: true };
  return [
    { ...session, method: 'GET', serve: (exchange) => showSession(options, exchange) },
    { ...session, method: 'POST', serve: (exchange) => signIn(options, exchange) },
    { ...session, method: 'DELETE', serve: (exchange) => signOut(options, exchange) },
    {
      path: '/console/setup',
      needsService: true,
      method: 'POST',
      serve: (exchange) => setUp(options, exchange),
    },
  ];
}

/** Never answers 401, since pages request this first. Other sites cannot read the answer without CORS headers. */
async function showSession(options: SessionRouteOptions, exchange: Exchange): Promise<void> {
  const token = readCookie(options.cookie, exchange.header('cookie'));
  const presence = token === null ? null : await options.gate.authenticate(token);
  const headers: Record<string, string> =
    token !== null && presence === null ? { 'set-cookie': printNoCookie(options.cookie) } : {};
  await answer(options, exchange, presence, headers);
}

async function signIn(options: SessionRouteOptions, exchange: Exchange): Promise<void> {
  requireSameOrigin(exchange, options.origin);
  const { name, password } = await readFields(exchange);
  const request = { name: readText('name', name), password: readText('password', password) };
  const entry = await settle(options.gate.signIn(request.name, request.password, clientOf(exchange)));
  await answerEntry(options, exchange, entry, 'The name or the password is wrong');
}

async function setUp(options: SessionRouteOptions, exchange: Exchange): Promise<void> {
  requireSameOrigin(exchange, options.origin);
  const fields = await readFields(exchange);
  const request = {
    code: readText('code', fields.code),
    name: readText('name', fields.name),
    password: readText('password', fields.password),
    instance: {
      name: readOptionalText('instanceName', fields.instanceName),
      color: readOptionalText('color', fields.color),
      timeZone: readOptionalText('timeZone', fields.timeZone),
    },
    demo: fields.demo === true,
  };
  const entry = await settle(options.gate.setUp(request, clientOf(exchange)));
  if (entry.ok && request.demo) await options.loadDemo?.();
  await answerEntry(
    options,
    exchange,
    entry,
    'The set-up code is wrong: the service prints it when it starts',
  );
}

async function signOut(options: SessionRouteOptions, exchange: Exchange): Promise<void> {
  const token = readCookie(options.cookie, exchange.header('cookie'));
  if (token !== null && (await options.gate.authenticate(token)) !== null) {
    await authenticateSession(options, exchange);
    await options.gate.signOut(token, exchange.address);
  }
  exchange.sendEmpty(204, { 'set-cookie': printNoCookie(options.cookie), 'cache-control': 'no-store' });
}

async function answerEntry(
  options: SessionRouteOptions,
  exchange: Exchange,
  entry: SignInResult,
  wrong: string,
): Promise<void> {
  if (entry.ok) {
    const isSecure = options.cookie.isSecure || exchange.isSecure;
    const cookie = printCookie({ ...options.cookie, isSecure }, entry.token, entry.maxAgeS);
    return answer(options, exchange, entry.presence, { 'set-cookie': cookie });
  }
  if (entry.reason === 'wrong') throw new HttpProblem(401, wrong, { 'www-authenticate': sessionChallenge });
  const { retryAfterS } = entry;
  const words = `Too many wrong attempts. Try again in ${retryAfterS} s`;
  throw new HttpProblem(429, words, { 'retry-after': String(retryAfterS) });
}

async function answer(
  { gate, version, baseUrl }: SessionRouteOptions,
  exchange: Exchange,
  presence: Presence | null,
  headers: Record<string, string>,
): Promise<void> {
  const { session: _session, ...person } = presence?.caller.person ?? { session: '' };
  const signedIn = presence && {
    status: 'signed-in',
    baseUrl,
    instance: { ...gate.instance(), version },
    person,
    csrfToken: presence.csrfToken,
  };
  const instance = gate.instance();
  const anonymous =
    gate.setupCode() === null ? { status: 'anonymous', instance } : { status: 'setup', baseUrl, instance };
  const text = JSON.stringify(signedIn ?? anonymous);
  await exchange.sendText(200, 'application/json', text, { 'cache-control': 'no-store', ...headers });
}

/** Accepts JSON only, which a form of another site cannot send without a preflight request. */
async function readFields(exchange: Exchange): Promise<Record<string, unknown>> {
  const type = exchange.header('content-type')?.split(';')[0].trim().toLowerCase();
  if (type !== 'application/json') throw new HttpProblem(415, 'Content-Type must be application/json');
  const { bytes: body } = await readBody(exchange, bodyBytesMax);
  const fields = parseJson(body.toString('utf8'));
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
    return fields as Record<string, unknown>;
  throw new HttpProblem(400, 'The body must be a JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, 'The body is not JSON');
  }
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new HttpProblem(400, `"${name}" must be a text`, {}, { params: { [name]: ['required'] } });
}

function readOptionalText(name: string, value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : readText(name, value);
}

function clientOf(exchange: Exchange): SessionClient {
  return { address: exchange.address, userAgent: exchange.header('user-agent') ?? '' };
}

/** Converts errors of the gate to problems. */
async function settle(entry: Promise<SignInResult>): Promise<SignInResult> {
  try {
    return await entry;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.kind === 'invalid-params')
      throw new HttpProblem(400, error.message, {}, { params: error.params ?? {} });
    throw error.kind === 'conflict' ? new HttpProblem(409, error.message) : error;
  }
}
