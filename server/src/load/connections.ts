/** Open connections: a share of them for each address, and when there are too many, who gives way. */
import type { Limits } from '#model/limits';

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
  /** Address → its connections, the oldest first. */
  readonly #byAddress = new Map<string, Set<Connection>>();
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** How many are open. */
  get count(): number {
    return this.#count;
  }

  /** Whether few are left. */
  get isCrowded(): boolean {
    return this.#count > this.#limits.connectionsMax * crowdedPart;
  }

  /**
   * A connection from an address; null when it must be refused: the address has its share, or all are taken and no idle one of
   * another address gives way. `isShared`: many clients have this address, as behind a proxy, and it has no share of its own.
   */
  open(address: string, isShared: boolean, cut: () => void): Connection | null {
    const { connectionsMax } = this.#limits;
    const own = this.#byAddress.get(address) ?? new Set();
    if (!isShared && own.size >= this.#ownMax) return null;
    if (this.#count >= connectionsMax && !this.#makeRoom(own.size)) return null;
    const connection = new Connection(address, cut);
    this.#byAddress.set(address, own.add(connection));
    this.#count++;
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
    this.#count--;
    if (own.size === 0) this.#byAddress.delete(connection.address);
  }

  /** Ends the oldest idle connection, of an unknown client, of the address with the most; that must have more than the new one's. */
  #makeRoom(ownCount: number): boolean {
    let most = new Set<Connection>();
    for (const connections of this.#byAddress.values()) if (connections.size > most.size) most = connections;
    if (most.size <= ownCount + 1) return false;
    for (const connection of most) {
      if (connection.isKnown || connection.requestCount > 0) continue;
      this.close(connection);
      connection.cut();
      return true;
    }
    return false;
  }
}
