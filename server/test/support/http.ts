/** An HTTP server of ours on a free port, with whatever methods a test gives it, and ways to call it. */
import { type Accounts, unmetered } from '#load/account';
import type { Load } from '#load/load';
import type { Caller, Grant } from '#model/caller';
import type { Clock, Random, Stopwatch } from '#model/environment';
import { type Limits, limitDefaults } from '#model/limits';
import type { Observation } from '#observe/observation';
import type { Authenticator, TokenIssuer } from '#protocol/authenticator';
import { LineEndpoint } from '#protocol/line-protocol/line-endpoint';
import type { Method } from '#protocol/method';
import { RemoteEndpoint } from '#protocol/remote-write/remote-endpoint';
import { Rpc } from '#protocol/rpc';
import type { SeriesWriter } from '#protocol/series/series-writer';
import type { Version } from '#protocol/version';
import type { Coordination } from '#storage/coordination';
import { systemStopwatch } from '#system-environment';
import { soleCoordination } from '#threads/coordination';
import { createHttpServer, type HttpServer, type HttpServerOptions } from '#transport/http/server';
import { newLoad } from './load.ts';
import { FixedClock, KeptLog, SeededRandom } from './world.ts';

/** What a test may choose. */
export interface HttpTestOptions
  extends Partial<
    Pick<
      HttpServerOptions,
      | 'pathPrefix'
      | 'exporter'
      | 'routes'
      | 'sessions'
      | 'servePage'
      | 'tls'
      | 'trustedProxies'
      | 'readyChecks'
    >
  > {
  live?: HttpServerOptions['live'];
  catchUp?: HttpServerOptions['catchUp'];
  methods: readonly Method[];
  authenticator?: Authenticator & TokenIssuer;
  limits?: Partial<Limits>;
  namespaces?: readonly string[];
  random?: Random;
  /** Default: the machine's. */
  stopwatch?: Stopwatch;
  log?: KeptLog;
  /** Default: nothing is limited. */
  accounts?: Accounts;
  /** Looks on. */
  observation?: Observation;
  /** Stores what clients of InfluxDB write; default: they are not served. */
  writer?: SeriesWriter;
  /** Default: one that does not go on. */
  clock?: Clock;
  /** Default: there are no other nodes. */
  coordination?: Coordination;
}

/** The member `error` of an answer. */
export interface FaultBody {
  code: number;
  message: string;
  data: { trace: string; params?: Record<string, string[]>; invalidResources?: unknown[] };
}

/** One JSON-RPC answer as a test reads it. */
export interface AnswerBody {
  jsonrpc: string;
  id: string | number | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever the method answers.
  result?: any;
  error?: FaultBody;
}

/** How a call is made. */
export interface CallOptions {
  version?: Version | string;
  authorization?: string;
  headers?: Record<string, string>;
}

/** A running server. */
export interface HttpUnderTest {
  url: string;
  port: number;
  log: KeptLog;
  rpc: Rpc;
  load: Load;
  server: HttpServer;
  /** Calls one method; the answer must be HTTP 200. */
  call(method: string, params?: unknown, options?: CallOptions): Promise<AnswerBody>;
  /** Posts any body to `/v1/rpc`. */
  post(body: string | Uint8Array<ArrayBuffer>, options?: CallOptions): Promise<Response>;
  /** Stops it. */
  close(withinMs?: number): Promise<void>;
}

/** The integration of {@link basicHeader}. */
export const testIntegration = 'cbpmaq6rpn52969vfl00';

/** Credentials that {@link fixedAuthenticator} accepts. */
export const basicHeader = basicAuthorization(testIntegration, 'sesame');

/** A Basic header for a user and a password. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Knows one integration with these grants, one password, one token and one client. */
export function fixedAuthenticator(
  grants: readonly Grant[] = ['integration', 'admin', 'service'],
): Authenticator & TokenIssuer {
  const caller: Caller = { integration: testIntegration, credential: 'one', grants: new Set(grants) };
  return {
    authenticateBasic: (user, password) =>
      user === testIntegration && password === 'sesame' ? caller : null,
    recheck: (caller) => caller,
    authenticateBearer: async (token) => (token === 'aaa.bbb.ccc' ? caller : null),
    async issueToken({ clientId, clientSecret, audiences }) {
      if (clientId !== 'client' || clientSecret !== 's:e+c%r e')
        return { ok: false, error: 'invalid_client', description: 'Unknown client or wrong secret' };
      if (audiences.some((audience) => audience !== 'http://api/v1/'))
        return { ok: false, error: 'invalid_target', description: 'Unknown audience' };
      return {
        ok: true,
        accessToken: 'aaa.bbb.ccc',
        scopes: ['invoke:integration', 'invoke:service'],
        expiresInS: 7200,
      };
    },
  };
}

/** Starts a server with these methods. */
export async function startHttp(options: HttpTestOptions): Promise<HttpUnderTest> {
  const log = options.log ?? new KeptLog();
  const limits = { ...limitDefaults, ...options.limits };
  const namespaces = options.namespaces ?? ['service', 'clarify'];
  const info = { title: 'Tidemark', programVersion: '0.0.0', rpcUrl: 'http://api/v1/rpc', namespaces };
  const { observation, methods } = options;
  const onCall = observation?.onCall.bind(observation);
  const load = newLoad(limits);
  const stopwatch = options.stopwatch ?? systemStopwatch;
  const rpc = new Rpc({ methods, info, limits, log, stopwatch, onCall });
  const { writer, clock = new FixedClock() } = options;
  const server = createHttpServer({
    ...options,
    rpc,
    lines: writer && new LineEndpoint({ rpc, writer, clock, limits }),
    remote: writer && new RemoteEndpoint({ rpc, writer, limits }),
    load,
    authenticator: options.authenticator ?? fixedAuthenticator(),
    accounts: options.accounts ?? { accountOf: () => unmetered },
    limits,
    random: options.random ?? new SeededRandom(),
    stopwatch,
    coordination: options.coordination ?? soleCoordination(stopwatch),
    log,
    observer: observation,
    tracer: observation?.tracing,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0, isShared: false });
  return {
    port,
    log,
    rpc,
    load,
    server,
    close: (withinMs = 1000) => server.close(withinMs),
    ...clientOf(`http://127.0.0.1:${port}`),
  };
}

/** Ways to call the server at `url`. */
export function clientOf(url: string): Pick<HttpUnderTest, 'url' | 'call' | 'post'> {
  const post = (body: string | Uint8Array<ArrayBuffer>, options: CallOptions = {}) =>
    fetch(`${url}/v1/rpc`, { method: 'POST', body, headers: headersOf(options) });
  return {
    url,
    post,
    async call(method, params, options) {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), options);
      if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
      return (await response.json()) as AnswerBody;
    },
  };
}

function headersOf(options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    authorization: options.authorization ?? basicHeader,
  };
  if (options.version !== undefined) headers['x-api-version'] = options.version;
  return { ...headers, ...options.headers };
}

/** The body of an answer as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
export async function readJson(response: Response): Promise<any> {
  return response.json();
}
