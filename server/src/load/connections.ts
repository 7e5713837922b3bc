/** Open connections: a share of them for each address, and when there are too many, who gives way. */
import type { Limits } from '#model/limits';
import { NumberTables } from '#threads/number-table';
import { Shares } from '#threads/shares';

/** The limits that decide; read at each use. */
export type ConnectionLimits = Pick<
  Limits,
  'connectionsMax' | 'connectionsPerAddressMax' | 'integrationSharePercent'
>;

/** Above this part of the limit, answers to clients that have proved nothing end their connections. */
const crowdedPart = 0.9;

/** One open connection. */
export class Connection {
  readonly address: string;
  /** Whether a client has authenticated on it. */
  isKnown = false;
  /** Requests that have begun and not ended. */
  requestCount = 0;
  readonly #cut: () => void;

  constructor(address: string, cut: () => void) {
    this.address = address;
    this.#cut = cut;
  }

  /** Ends it; its owner then reports that it is closed. */
  cut(): void {
    this.#cut();
  }
}

/** All connections. */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** How many each address has in all threads. */
  readonly #shares: Shares;
  /** Address → its connections in this thread, the oldest first. */
  readonly #byAddress = new Map<string, Set<Connection>>();

  /** Connections of all threads that share the tables count together. */
  constructor(limits: ConnectionLimits, tables = new NumberTables()) {
    this.#limits = limits;
    this.#shares = new Shares(tables, 'connections');
  }

  /** How many are open. */
  get count(): number {
    return this.#shares.total;
  }

  /** Whether few are left. */
  get isCrowded(): boolean {
    return this.count > this.#limits.connectionsMax * crowdedPart;
  }

  /**
   * A connection from an address; null when it must be refused: the address has its share, or all are taken and no idle one of
   * another address gives way. `isShared`: many clients have this address, as behind a proxy, and it has no share of its own.
   */
  open(address: string, isShared: boolean, cut: () => void): Connection | null {
    const { connectionsMax } = this.#limits;
    const isInShare = (own: number) => isShared || own < this.#ownMax;
    const own = this.#shares.of(address);
    if (!isInShare(own)) return null;
    if (this.count >= connectionsMax && !this.#makeRoom(own)) return null;
    if (!this.#shares.take(address, 1, isInShare)) return null;
    const connection = new Connection(address, cut);
    this.#byAddress.getOrInsertComputed(address, () => new Set()).add(connection);
    return connection;
  }

  get #ownMax(): number {
    const { connectionsMax, connectionsPerAddressMax, integrationSharePercent } = this.#limits;
    const share = Math.floor((connectionsMax * integrationSharePercent) / 100);
    return Math.max(1, Math.min(connectionsPerAddressMax, share));
  }

  /** A connection has ended. A second time this does nothing. */
  close(connection: Connection): void {
    const own = this.#byAddress.get(connection.address);
    if (own?.delete(connection) !== true) return;
    this.#shares.add(connection.address, -1);
    if (own.size === 0) this.#byAddress.delete(connection.address);
  }

  /** Ends the oldest idle connection, of an unknown client, of the address with the most in this thread; that must have more than the new one's. */
  #makeRoom(ownCount: number): boolean {
    let most = new Set<Connection>();
    for (const connections of this.#byAddress.values()) if (connections.size > most.size) most = connections;
    const [busiest] = most;
    if (busiest === undefined || this.#shares.of(busiest.address) <= ownCount + 1) return false;
    for (const connection of most) {
      if (connection.isKnown || connection.requestCount > 0) continue;
      this.close(connection);
      connection.cut();
      return true;
    }
    return false;
  }
}
