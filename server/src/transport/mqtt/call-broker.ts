/** aedes, but a message of a client is sent to subscribers only if the call that it is has succeeded. */
import { Aedes, type PublishPacket } from 'aedes';
import mqttPacket from 'mqtt-packet';

// A buffer for each of 65,536 numbers would take the event loop 20 ms at the first connection, and memory.
mqttPacket.writeToStream.cacheNumbers = false;

/** The broker of aedes. */
export class CallBroker extends Aedes {
  readonly #withheld = new WeakSet<PublishPacket>();

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
