/** The servers of the store by shard: which one keeps a signal, and which replica is asked. */
import type { Random } from '#model/environment';
import { AppError, conflict } from '#model/error';
import { type Address, parseAddresses, requireName } from './addresses.ts';
import { isRefusal, ServerFailure, toAppError } from './failures.ts';
import type { ClickHouseOptions, ClickHouseTuning } from './options.ts';
import { Server } from './server.ts';

/** One part of the points, on one server or on several that hold the same. */
export class Shard {
  /** From 1, as in `system.clusters`. */
  readonly number: number;
  readonly weight: number;
  /** How many servers the cluster has for it, reachable or not. */
  readonly replicaCount: number;
  readonly servers: Server[] = [];
  #preferred = 0;

  constructor(number: number, weight: number, replicaCount: number) {
    this.number = number;
    this.weight = weight;
    this.replicaCount = replicaCount;
  }

  /** The server to ask next: the last one that answered, or after a failure the one behind it. */
  get server(): Server {
    return this.servers[this.#preferred % this.servers.length];
  }

  /** Lets the next statement go to another server, if this one is still the one that is asked. */
  avoid(server: Server): void {
    if (this.server === server) this.#preferred++;
  }

  /**
   * Whether a statement that has failed so many times is worth another attempt. A connection may have ended just when it was used,
   * so the first server gets a second one; not where it was silent, since the caller would wait as long again.
   */
  isWorthAnother(failure: ServerFailure, attempts: number): boolean {
    return attempts < this.servers.length + (failure.isSilent ? 0 : 1);
  }

  /** What a failure of this shard means to a caller. */
  explain(failure: ServerFailure): Error {
    return toAppError(failure, `Shard ${this.number} of the store of points`);
  }
}

/** A line of `system.clusters`. */
interface Member {
  shard: number;
  weight: number;
  host: string;
  isLocal: boolean;
}

/** All servers. */
export class Cluster {
  readonly database: string;
  readonly shards: readonly Shard[];
  /** The shard of each remainder, as the Distributed table computes it from the weights. */
  readonly slots: readonly number[];
  readonly #servers: readonly Server[];

  private constructor(database: string, shards: readonly Shard[], servers: readonly Server[]) {
    this.database = database;
    this.shards = shards;
    this.slots = shards.flatMap(({ weight }, i) => new Array<number>(weight).fill(i));
    this.#servers = servers;
  }

  /**
   * Finds out which address is which shard. Fails with `unavailable` when no server of a shard answers, with `conflict` when
   * addresses and cluster do not fit together.
   */
  static async open(options: ClickHouseOptions, tuning: ClickHouseTuning): Promise<Cluster> {
    const addresses = parseAddresses(options.urls);
    const { database } = addresses[0];
    const newServer = (address: Address) => new Server(address, options.random, tuning);
    const servers = addresses.map(newServer);
    try {
      if (options.cluster === null) return new Cluster(database, [await onlyShard(servers)], servers);
      requireName(options.cluster, 'The name of the cluster');
      const found = await findShards(options.cluster, addresses, servers, options.random, tuning);
      return new Cluster(database, found.shards, found.servers);
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      throw error;
    }
  }

  /** The index in {@link shards} of the shard that keeps a signal. */
  readonly shardOf = (signal: number): number => this.slots[signal % this.slots.length];

  /** These signals by shard, in their order. */
  divide(signals: Iterable<number>): number[][] {
    const divided = this.shards.map((): number[] => []);
    for (const signal of signals) divided[this.shardOf(signal)].push(signal);
    return divided;
  }

  /**
   * Runs work that reads from the servers, again with the next server of a shard where one has failed. Fails with
   * `unavailable` when all of a shard have.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ServerFailure)) throw error;
        const shard = this.#shardAt(error.origin);
        const server = shard.servers.find(({ origin }) => origin === error.origin);
        if (server !== undefined && error.isLocal) shard.avoid(server);
        if (!error.isLocal || !shard.isWorthAnother(error, attempt)) throw shard.explain(error);
      }
    }
  }

  #shardAt(origin: string): Shard {
    return (
      this.shards.find(({ servers }) => servers.some((server) => server.origin === origin)) ?? this.shards[0]
    );
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

async function onlyShard(servers: Server[]): Promise<Shard> {
  const shard = new Shard(1, 1, servers.length);
  shard.servers.push(...servers);
  await requireAnswer(servers);
  return shard;
}

async function requireAnswer(servers: readonly Server[]): Promise<void> {
  const answers = await Promise.allSettled(servers.map((server) => server.facts()));
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (failure !== undefined && answers.every(({ status }) => status === 'rejected'))
    throw explain(failure.reason);
}

function explain(error: unknown): unknown {
  return error instanceof ServerFailure ? toAppError(error, 'The store of points') : error;
}

async function findShards(
  cluster: string,
  addresses: readonly Address[],
  servers: readonly Server[],
  random: Random,
  tuning: ClickHouseTuning,
): Promise<{ shards: Shard[]; servers: Server[] }> {
  const seen = await Promise.all(servers.map((server) => readMembers(server, cluster)));
  const known = seen.find((members) => members !== null);
  if (known === undefined || known === null) {
    await requireAnswer(servers);
    throw conflict(`ClickHouse knows no cluster "${cluster}" (system.clusters)`);
  }
  const shards = shardsOf(known);
  const all = [...servers];
  for (const [i, members] of seen.entries()) assign(shards, servers[i], members);
  for (const shard of shards.filter(({ servers: own }) => own.length === 0)) {
    const found = await guess(shard, known, cluster, addresses[0], random, tuning);
    shard.servers.push(...found);
    all.push(...found);
  }
  const missing = shards.find(({ servers: own }) => own.length === 0);
  if (missing !== undefined) throw unreachable(missing, known);
  return { shards, servers: all };
}

/** The members of a cluster as a server sees them; null where it does not answer or does not know the cluster. */
async function readMembers(server: Server, cluster: string): Promise<Member[] | null> {
  const columns = 'shard_num, shard_weight, host_name, is_local';
  try {
    const rows = await server.table(
      `SELECT ${columns} FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num, replica_num FORMAT TabSeparated`,
    );
    const members = rows.map(([shard, weight, host, isLocal]) => ({
      ...{ shard: Number(shard), weight: Number(weight), host, isLocal: isLocal === '1' },
    }));
    return members.length === 0 ? null : members;
  } catch (error) {
    if (!(error instanceof ServerFailure) || isRefusal(error)) throw explain(error);
    return null;
  }
}

function shardsOf(members: readonly Member[]): Shard[] {
  const numbers = [...new Set(members.map(({ shard }) => shard))];
  return numbers.map((number) => {
    const own = members.filter(({ shard }) => shard === number);
    return new Shard(number, own[0].weight, own.length);
  });
}

/** An address belongs to the shard that its server calls local; one that does not answer now belongs to a shard of which it is the only one. */
function assign(shards: readonly Shard[], server: Server, members: readonly Member[] | null): void {
  const local = new Set(members?.filter(({ isLocal }) => isLocal).map(({ shard }) => shard));
  if (members !== null && local.size !== 1)
    throw conflict(
      `${server.origin} is in ${local.size === 0 ? 'no shard' : 'several shards'} of the cluster according to its own system.clusters: give the address of each member`,
    );
  const shard =
    shards.find(({ number }) => local.has(number)) ?? (shards.length === 1 ? shards[0] : undefined);
  shard?.servers.push(server);
}

/** The servers of a shard at the hosts that the cluster names, with the port of the first address. */
async function guess(
  shard: Shard,
  members: readonly Member[],
  cluster: string,
  first: Address,
  random: Random,
  tuning: ClickHouseTuning,
): Promise<Server[]> {
  const found: Server[] = [];
  for (const { host } of members.filter(({ shard: number }) => number === shard.number)) {
    const url = URL.parse(first.origin);
    if (url === null) continue;
    url.hostname = host;
    const server = new Server({ ...first, origin: url.origin }, random, tuning);
    const seen = await readMembers(server, cluster);
    if (seen?.some(({ shard: number, isLocal }) => isLocal && number === shard.number)) found.push(server);
    else await server.close();
  }
  return found;
}

function unreachable(shard: Shard, members: readonly Member[]): AppError {
  const hosts = members.filter(({ shard: number }) => number === shard.number).map(({ host }) => host);
  return new AppError(
    'unavailable',
    `Shard ${shard.number} of the store of points (${hosts.join(', ')}) does not answer: start it, or add its address to those of the store of points`,
  );
}
