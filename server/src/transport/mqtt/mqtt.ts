/** The broker with the ports that it listens on. */
import { Connections } from '#load/connections';
import type { Random } from '#model/environment';
import type { Limits } from '#model/limits';
import { LoginRates } from '#protocol/login-rates';
import { TraceSource } from '#protocol/trace';
import type { Coordination } from '#storage/coordination';
import type { NumberTables } from '#threads/number-table';
import type { TlsFiles } from '../http/tls.ts';
import { Broker, type BrokerOptions, type MqttFigures } from './broker.ts';
import { MqttListener } from './listener.ts';
import type { Wire } from './packet-stream.ts';

/** Which ports the broker listens on; 0 takes a free one, null: none. */
export interface MqttPorts {
  plain: number | null;
  /** With the certificate of HTTP. */
  secure: number | null;
}

/** Options of {@link Mqtt}. */
export interface MqttOptions extends Omit<BrokerOptions, 'logins' | 'traces' | 'limits'> {
  limits: BrokerOptions['limits'] &
    Pick<
      Limits,
      'wrongLoginsPerMinute' | 'connectionsMax' | 'connectionsPerAddressMax' | 'integrationSharePercent'
    >;
  random: Random;
  coordination: Coordination;
  tables: NumberTables;
  tls?: TlsFiles | null;
}

/** A running broker. */
export class Mqtt {
  readonly #broker: Broker;
  readonly #connections: Connections;
  readonly #options: MqttOptions;
  readonly #listeners: MqttListener[] = [];
  #closing: Promise<void> | null = null;

  private constructor(broker: Broker, options: MqttOptions) {
    this.#broker = broker;
    this.#options = options;
    this.#connections = new Connections(options.limits, options.tables);
  }

  /** Starts a broker that does not listen yet. */
  static async open(options: MqttOptions): Promise<Mqtt> {
    const { limits, stopwatch, coordination, random } = options;
    const logins = new LoginRates(limits, stopwatch, coordination);
    const broker = await Broker.open({ ...options, logins, traces: new TraceSource(random) });
    return new Mqtt(broker, options);
  }

  /** What is under way and has been done. */
  get figures(): MqttFigures {
    return this.#broker.figures;
  }

  /** Begins to listen; the ports that were taken. Rejects with the system's error. */
  async listen(host: string, ports: MqttPorts): Promise<MqttPorts> {
    const { tls = null } = this.#options;
    return {
      plain: ports.plain === null ? null : await this.#add(null).listen({ host, port: ports.plain }),
      secure:
        ports.secure === null || tls === null
          ? null
          : await this.#add(tls).listen({ host, port: ports.secure }),
    };
  }

  /** Serves a connection that another listener has accepted and counts. `onKnown` is called when its client is authenticated. */
  serve(wire: Wire, address: string, onKnown: () => void): void {
    this.#broker.serve(wire, address, onKnown);
  }

  /** Reads the certificate again. */
  reload(): void {
    for (const listener of this.#listeners) listener.reload();
  }

  /** Accepts nothing new, and ends all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    await this.#broker.close();
  }

  #add(tls: TlsFiles | null): MqttListener {
    const { log } = this.#options;
    const listener = new MqttListener({ broker: this.#broker, connections: this.#connections, log }, tls);
    this.#listeners.push(listener);
    return listener;
  }
}
