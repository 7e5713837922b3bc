/** A service over real HTTP, with stores in memory, a clock that stands and chance from a seed: each answer is foreseeable. */
import { Ingest } from '#domain/ingest/ingest';
import { Query } from '#domain/query/query';
import { Signals } from '#domain/signals/signals';
import { methods } from '#methods/index';
import type { Caller, Grant } from '#model/caller';
import { type Limits, limitDefaults } from '#model/limits';
import { XidSource } from '#model/xid';
import type { Method } from '#protocol/method';
import { MemoryMetaStore } from '#storage/memory/meta-store';
import { MemorySeriesStore } from '#storage/memory/series-store';
import { basicAuthorization, startHttp } from '../../support/http.ts';
import { FixedClock, SeededRandom } from '../../support/world.ts';

/** An integration with every grant. */
export const owner = 'c2mo5rac8v1dtfnta5e0';
/** An integration that may only write its own signals. */
export const logger = 'c618rbfqfsj7mjkj0sg0';
/** An ID that nothing has. */
export const nobody = '00000000000000000000';

const grants: Record<string, Grant[]> = {
  [owner]: ['integration', 'admin', 'service'],
  [logger]: ['integration'],
};

/** The ID of a signal by its input key, or with `item of` before it, of its item; of what earlier calls have made. */
export type IdOf = (name: string) => string;

/** One JSON-RPC call. */
export interface Call {
  /** Default 1.1. */
  version?: string;
  method: string;
  /** A function may name what earlier calls have made. */
  params?: object | ((id: IdOf) => object);
  /** The integration that calls; default: the one with every grant. */
  as?: string;
}

/** What a call was answered with. */
export interface Answer {
  result?: unknown;
  error?: unknown;
}

/** A running service. */
export interface Plant {
  readonly methods: readonly Method[];
  readonly clock: FixedClock;
  call(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** Starts a service with two integrations and nothing else. Each call takes a second of its clock. */
export async function startPlant(changed: Partial<Limits> = {}): Promise<Plant> {
  const limits = { ...limitDefaults, ...changed };
  const [clock, random, meta, series] = [
    new FixedClock(),
    new SeededRandom(),
    new MemoryMetaStore(),
    new MemorySeriesStore(),
  ];
  const signals = new Signals({ meta, clock, ids: new XidSource(clock, random) });
  const ingest = new Ingest({ signals, series });
  const query = new Query({ meta, series, clock, limits });
  await meta.write(async (tx) => {
    for (const id of Object.keys(grants)) {
      await tx.insertIntegration({ id, name: id, grants: grants[id], createdAtMs: 0 });
    }
  });
  const integrations = { listIntegrations: () => meta.integrations() };
  const definitions = methods({ integrations, signals, ingest, query, limits });
  const http = await startHttp({ methods: definitions, authenticator: callers, limits: changed, random });
  const made = new Map<string, string>();
  const idOf = (name: string) => made.get(name) ?? fail(name);
  return {
    methods: definitions,
    clock,
    async call({ version = '1.1', method, params, as = owner }) {
      clock.advance(1);
      const given = typeof params === 'function' ? params(idOf) : params;
      const authorization = basicAuthorization(as, 'secret');
      const { result, error } = await http.call(method, given, { version, authorization, headers });
      learnIds(result, given, made);
      return error === undefined ? { result } : { error };
    },
    async close() {
      await http.close();
      signals.close();
    },
  };
}

function fail(name: string): never {
  throw new Error(`no call has made ${name}`);
}

type Summaries = Record<string, { id: string }>;

/** Notes the IDs of a save's summaries. */
function learnIds(result: unknown, params: unknown, made: Map<string, string>): void {
  const { signalsByInput = {}, itemsBySignal = {} } = (result ?? {}) as Record<string, Summaries>;
  for (const [input, { id }] of Object.entries(signalsByInput)) made.set(input, id);
  for (const [signal, { id }] of Object.entries(itemsBySignal)) {
    const input = [...made].find(([, known]) => known === signal)?.[0];
    made.set(`item of ${input ?? JSON.stringify(params)}`, id);
  }
}

/** Knows callers by their ID; who they are is not what these tests are about. */
const callers = {
  authenticateBasic(user: string): Caller | null {
    const known = grants[user];
    return known === undefined ? null : { integration: user, credential: 'x', grants: new Set(known) };
  },
  authenticateBearer: () => null,
  async issueToken() {
    return { ok: false, error: 'invalid_client', description: 'no tokens here' } as const;
  },
};
