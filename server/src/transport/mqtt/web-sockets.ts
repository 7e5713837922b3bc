/** MQTT over WebSocket (M1): any service thread accepts a connection; its bytes go to the broker, which is on the first one. */
import { type Duplex, pipeline } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import type { Members } from '#storage/coordination';
import { PortStream } from '#threads/port-stream';
import { portTo } from '#threads/port-to';
import type { Mqtt } from './mqtt.ts';

/** Where clients connect, and what they have to name as their protocol (MQTT 3.1.1, section 6; 3.1). */
const path = '/mqtt';
const protocols = ['mqtt', 'mqttv3.1'];

const question = 'serve a connection of the broker';

/** A connection on its way to the first thread. */
interface Relayed {
  port: MessagePort;
  address: string;
}

/** Serves WebSockets in this thread: with the broker, which the first one has, or by way of it. */
export function mqttWebSockets(members: Members, mqtt: Pick<Mqtt, 'serve'> | null) {
  if (mqtt === null) return { path, protocols, serve: relayTo(members) };
  members.answer(question, ({ port, address }: Relayed) => {
    const stream = new PortStream(port);
    mqtt.serve(stream, address, () => stream.notify());
  });
  return { path, protocols, serve: mqtt.serve.bind(mqtt) };
}

function relayTo(members: Members) {
  return (stream: Duplex, address: string, onKnown: () => void): void => {
    const [relay, port] = portTo((own) => new PortStream(own));
    relay.once('notice', onKnown);
    pipeline(stream, relay, stream, () => {
      stream.destroy();
      relay.destroy();
    });
    const relayed: Relayed = { port, address };
    members.askFirst(question, relayed, [port]).catch(() => stream.destroy());
  };
}
