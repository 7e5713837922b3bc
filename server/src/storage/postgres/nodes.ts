/**
 * The nodes of one service, as they know of one another through PostgreSQL: which are alive, which one does the work that is done
 * once, and what they tell all others. One connection does all of it, so that a node that has lost it leads no more.
 */
import type { Log, Stopwatch } from '#model/environment';
import type { Leads, NodeAnswers, NodeFacts, Sharer } from '../coordination.ts';
import { Connection, type ConnectOptions } from './connection.ts';
import { Division } from './division.ts';
import { unavailable } from './errors.ts';
import { lockNumber } from './lock-number.ts';
import { NodeQuestions, parseMessage } from './node-questions.ts';
import { quoted } from './schema.ts';
import { takeSharedUse } from './sole-use.ts';

/** How often a node says that it is alive; a node that has been silent for 15 s is dead. */
const beatMs = 5_000;

/** How long that may take. A node gives up leading after both times together, before PostgreSQL ends its session. */
const beatMsMax = 8_000;

/** How long PostgreSQL keeps a session without a statement, where the version can limit that: a stopped process leads no longer. */
const idleSessionMs = 20_000;

/** What is told is gathered for so long, ms. */
const tellMs = 50;

/** Events that wait to be told; more are left out, and count on this node only. */
const eventsMax = 20_000;

/** Events of one notification, which may have 8,000 bytes. */
const eventsOfMessage = 80;

/** Something that all nodes take note of: the kind, the table or topic, the key as a digest, and a number. */
export type NodeEvent = readonly [
  kind: 'window' | 'note' | 'forget' | 'revision',
  table: string,
  key: string,
  detail: number,
];

/** What a node does with what it learns. */
export interface NodeListener {
  /** Nodes that are alive, this one included. */
  counted(nodes: number): void;
  /** The answers of all members of this node. */
  asked(question: string, detail: unknown): Promise<unknown[]>;
  /** An event of another node. */
  told(event: NodeEvent): void;
}

/** Options of {@link Nodes}. */
export interface NodesOptions extends ConnectOptions {
  /** Of this node, unique. */
  id: string;
  /** Of the program. */
  version: string;
  stopwatch: Stopwatch;
  log: Log;
}

interface Leading {
  begin(leads: Leads): void;
  end(): void;
}

const beatStatement = `with mine as (
    insert into node (id, version, started_at, seen_at) values ($1, $2, now(), now())
    on conflict (id) do update set seen_at = now())
  select count(*) as others from node where id <> $1 and seen_at > now() - interval '15 seconds'`;

/** A node that has been silent for longer is not asked. */
const aliveMs = 15_000;

const nodesStatement = `select id, version, (extract(epoch from started_at) * 1000)::bigint as "startedAtMs",
  (extract(epoch from now() - seen_at) * 1000)::bigint as "silentMs"
  from node where seen_at > now() - interval '1 hour' order by started_at, id`;

/** This node among the others. */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #listener: NodeListener;
  readonly #channel: string;
  readonly #lock: number;
  readonly #questions: NodeQuestions;
  #connection: Connection | null = null;
  #events: NodeEvent[] = [];
  #leading: Leading | null = null;
  #isLeading = false;
  readonly #divisions: Division[] = [];
  #isClosed = false;
  #beating: Promise<void> = Promise.resolve();
  #beatTimer: NodeJS.Timeout | undefined;
  #tellTimer: NodeJS.Timeout | undefined;

  constructor(options: NodesOptions, listener: NodeListener) {
    this.#options = options;
    this.#listener = listener;
    this.#channel = `tidemark_${lockNumber(options.schema, 'channel').toString(36).replace('-', 'n')}`;
    this.#lock = lockNumber(options.schema, 'leader');
    this.#questions = new NodeQuestions({
      ...{ id: options.id, channel: this.#channel, stopwatch: options.stopwatch },
      answer: (question, detail) => listener.asked(question, detail),
      send: (channel, payloads) => this.#send(channel, payloads),
    });
  }

  /** Says that this node is alive, and goes on doing so. */
  async start(): Promise<void> {
    await this.#beatOnce();
    this.#scheduleBeat();
  }

  /** Calls `begin` when this node becomes the one that does the work which is done once, and `end` when it is so no longer. */
  lead(begin: (leads: Leads) => void, end: () => void): void {
    this.#leading = { begin, end };
    if (this.#isLeading) begin(this.#leads);
  }

  /** The lock is that of a session, so its connection answers only while it is held. */
  readonly #leads: Leads = async () => {
    const connection = this.#connection;
    if (!this.#isLeading || connection === null) return false;
    try {
      await connection.run('select 1');
    } catch {
      if (this.#connection === connection) this.#lose();
    }
    return this.#isLeading && this.#connection === connection;
  };

  /** Divides things among the nodes, from the next sign of life on. */
  divide(name: string, count: number, sharer: Sharer): void {
    const lock = (purpose: string) => lockNumber(this.#options.schema, purpose);
    const lockOf = (index: number) => lock(`${name} ${index}`);
    this.#divisions.push(new Division({ count, memberLock: lock(name), lockOf, sharer }));
    this.#beatNow();
  }

  /** Asks all nodes; of those that do not answer in time only the facts are known. */
  async ask(question: string, detail: unknown): Promise<NodeAnswers<unknown>[]> {
    const { id: own } = this.#options;
    const [nodes, answers] = await Promise.all([this.#known(), this.#listener.asked(question, detail)]);
    const others = nodes.filter(({ id, silentMs }) => id !== own && silentMs < aliveMs);
    const found = await this.#questions.ask(
      question,
      detail,
      others.map(({ id }) => id),
    );
    return nodes.map((node) => {
      if (node.id === own) return { ...node, answers, delayMs: 0 };
      return { ...node, ...(found.get(node.id) ?? { answers: null, delayMs: 0 }) };
    });
  }

  /** Tells all other nodes, soon. */
  tell(event: NodeEvent): void {
    if (this.#isClosed) return;
    // Of a topic only the newest revision is worth telling.
    if (event[0] === 'revision')
      this.#events = this.#events.filter(([kind, topic]) => kind !== 'revision' || topic !== event[1]);
    if (this.#events.length >= eventsMax) return;
    this.#events.push(event);
    this.#tellTimer ??= setTimeout(() => void this.#tellAll(), tellMs);
  }

  /** Says goodbye; another node leads at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#beatTimer);
    clearTimeout(this.#tellTimer);
    await this.#beating;
    const connection = this.#connection;
    if (connection?.isUsable === true)
      await connection.run('delete from node where id = $1', [this.#options.id]).catch(() => undefined);
    this.#lose();
  }

  async #known(): Promise<NodeFacts[]> {
    if (this.#connection === null) throw unavailable('the other nodes cannot be asked');
    const { rows } = await this.#connection.run(nodesStatement);
    return rows as unknown as NodeFacts[];
  }

  async #send(channel: string, payloads: readonly string[]): Promise<void> {
    await this.#connection?.run('select pg_notify($1, p) from json_array_elements_text($2::json) as p', [
      channel,
      JSON.stringify(payloads),
    ]);
  }

  #scheduleBeat(): void {
    this.#beatTimer = setTimeout(() => this.#beatNow(), beatMs);
  }

  /** After the last one; then the next is due. */
  #beatNow(): void {
    clearTimeout(this.#beatTimer);
    this.#beating = this.#beating
      .then(() => this.#beatOnce())
      .catch((error: unknown) => {
        this.#lose();
        this.#options.log.warn('the other nodes cannot be heard of; trying again', { error });
      })
      .finally(() => {
        clearTimeout(this.#beatTimer);
        if (!this.#isClosed) this.#scheduleBeat();
      });
  }

  async #beatOnce(): Promise<void> {
    const timer = setTimeout(() => this.#lose(), beatMsMax);
    try {
      const { id, version } = this.#options;
      const connection = await this.#connect();
      const { rows } = await connection.run(beatStatement, [id, version]);
      this.#listener.counted(Number(rows[0].others) + 1);
      if (!this.#isLeading) await this.#tryToLead(connection);
      for (const division of this.#divisions) await division.balance(connection);
    } finally {
      clearTimeout(timer);
    }
  }

  async #tryToLead(connection: Connection): Promise<void> {
    const { rows } = await connection.run('select pg_try_advisory_lock($1) as mine', [this.#lock]);
    if (!rows[0].mine || this.#connection !== connection) return;
    this.#isLeading = true;
    this.#options.log.info('this node does the work that is done once');
    this.#leading?.begin(this.#leads);
  }

  async #connect(): Promise<Connection> {
    if (this.#connection?.isUsable === true) return this.#connection;
    this.#lose();
    const connection = await Connection.open(this.#options);
    if (this.#isClosed) {
      connection.close();
      throw unavailable('the service is ending');
    }
    this.#connection = connection;
    connection.onEnd(() => this.#connection === connection && this.#lose());
    connection.onNotification((payload, process) => {
      if (process !== connection.process) this.#hear(payload);
    });
    await takeSharedUse(connection, this.#options.schema);
    await connection.run(sessionLimits);
    await connection.run(`listen ${quoted(this.#channel)}`);
    await connection.run(`listen ${quoted(this.#questions.channelOf(this.#options.id))}`);
    await connection.run("delete from node where seen_at < now() - interval '1 day'");
    return connection;
  }

  /** Leads no more, and connects again at the next beat. */
  #lose(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.close();
    for (const division of this.#divisions) division.lose();
    if (!this.#isLeading) return;
    this.#isLeading = false;
    this.#options.log.info('this node does the work that is done once no longer');
    this.#leading?.end();
  }

  async #tellAll(): Promise<void> {
    const connection = this.#connection;
    const events = this.#events.splice(0, eventsOfMessage);
    try {
      if (connection?.isUsable === true)
        await connection.run('select pg_notify($1, $2)', [this.#channel, JSON.stringify(events)]);
    } catch (error) {
      this.#options.log.warn('changes and wrong secrets cannot be reported to the other nodes', { error });
    }
    this.#tellTimer = undefined;
    if (this.#events.length > 0 && !this.#isClosed)
      this.#tellTimer = setTimeout(() => void this.#tellAll(), tellMs / 2);
  }

  #hear(payload: string): void {
    try {
      const message = parseMessage(payload);
      if (message !== null) this.#questions.hear(message).catch((error: unknown) => this.#misheard(error));
      else for (const event of JSON.parse(payload) as NodeEvent[]) this.#listener.told(event);
    } catch (error) {
      this.#misheard(error);
    }
  }

  #misheard(error: unknown): void {
    this.#options.log.warn('a notice of another node cannot be read', { error });
  }
}

/** PostgreSQL notices soon that the node is gone, and releases its lock; the last setting is known since version 14. */
const sessionLimits = `select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '2', false),
  (select set_config(name, '${idleSessionMs}', false) from pg_catalog.pg_settings where name = 'idle_session_timeout')`;
