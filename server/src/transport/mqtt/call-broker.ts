/** aedes, but a message of a client is sent to subscribers only if the call that it is has succeeded. */
import { Aedes, type AedesOptions, type AedesPublishPacket, type PublishPacket } from 'aedes';
import mqttPacket from 'mqtt-packet';
import type { PacedQueue } from './paced-queue.ts';

// A buffer for each of 65,536 numbers would take the event loop 20 ms at the first connection, and memory.
mqttPacket.writeToStream.cacheNumbers = false;

/** Gives a message to a client that has subscribed; calls back when the client has taken it, or has gone. */
type Deliver = (packet: AedesPublishPacket, onTaken: () => void) => void;

/** The broker of aedes. */
export class CallBroker extends Aedes {
  readonly #withheld = new WeakSet<PublishPacket>();
  readonly #deliveries: Pick<PacedQueue, 'add'>;
  readonly #pacedOf = new WeakMap<Deliver, Deliver>();

  /** `deliveries`: when messages are given to clients; each message is one delivery to each that has subscribed. */
  constructor(options: AedesOptions, deliveries: Pick<PacedQueue, 'add'>) {
    super(options);
    this.#deliveries = deliveries;
  }

  override subscribe(topic: string, deliver: Deliver, onDone: () => void): void {
    super.subscribe(topic, this.#paced(deliver), onDone);
  }

  override unsubscribe(topic: string, deliver: Deliver, onDone: () => void): void {
    super.unsubscribe(topic, this.#paced(deliver), onDone);
  }

  #paced(deliver: Deliver): Deliver {
    return this.#pacedOf.getOrInsertComputed(deliver, () => (packet, onTaken) => {
      this.#deliveries.add(() => deliver(packet, onTaken));
    });
  }

  /** A message is not sent to anyone. */
  withhold(packet: PublishPacket): void {
    this.#withheld.add(packet);
  }

  /** Sends a message that no client has published; calls back when those who get it have it, or have gone. */
  send(topic: string, payload: string, onSent: () => void): void {
    this.publish({ cmd: 'publish', topic, payload, qos: 1, dup: false, retain: false }, onSent);
  }

  /** aedes passes the client of a message as the second argument. */
  override publish(packet: PublishPacket, ...rest: unknown[]): void {
    const done = rest.at(-1) as (error?: Error) => void;
    if (rest.length < 2 || rest[0] === null) {
      super.publish(packet, done);
      return;
    }
    // The publisher does not wait for those who receive the message: they have limits of their own.
    if (!this.#withheld.has(packet)) super.publish({ ...packet, retain: false }, () => {});
    done();
  }
}
