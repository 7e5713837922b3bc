/** The serving side of a thread of the store: answers the calls of its role that come over a port. */
import type { MessagePort } from 'node:worker_threads';
import { CallPorts } from './call-ports.ts';
import { packError } from './errors.ts';
import type { Serve, ThreadCalls, ThreadData, ThreadRole } from './messages.ts';

/** Only the role that a thread has is loaded. */
const services: { [Role in ThreadRole]: () => Promise<Serve<ThreadCalls[Role]>> } = {
  writer: async () => (await import('./writer-thread.ts')).serveWriter,
  reader: async () => (await import('./reader-thread.ts')).serveReader,
  sealer: async () => (await import('./sealer-thread.ts')).serveSealer,
};

/** Serves calls until the role's `close`. Replies to the call 0 when it has started, with the error if it cannot. */
export async function serveThread({ role, options }: ThreadData, port: MessagePort): Promise<void> {
  try {
    const ports = new CallPorts();
    const serve: Serve<never> = await services[role]();
    ports.serve(port, serve(options, ports));
  } catch (error) {
    port.postMessage({ id: 0, error: packError(error) });
    port.close();
  }
}
