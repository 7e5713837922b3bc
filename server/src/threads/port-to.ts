/** Message channels between threads. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** What `connect` makes of one end of a new channel, and the other end, to be transferred to another thread. */
export function portTo<T>(connect: (port: MessagePort) => T): [connected: T, port: MessagePort] {
  const { port1, port2 } = new MessageChannel();
  return [connect(port1), port2];
}
