/** The entry of a worker thread of the store: serves the calls of its role. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { bug } from '#model/error';
import { packError } from './errors.ts';
import type { Answers, Serve, ThreadCalls, ThreadData, ThreadRole } from './messages.ts';
import { serveReader } from './reader-thread.ts';
import { serveSealer } from './sealer-thread.ts';
import { serveWriter } from './writer-thread.ts';

/** From -20 to 19; a larger number is a lower priority. On Linux it applies to the thread only. Ignored if not permitted. */
const sealerNiceness = 5;

const services: { [Role in ThreadRole]: Serve<ThreadCalls[Role]> } = {
  writer: serveWriter,
  reader: serveReader,
  sealer: serveSealer,
};

const port = parentPort ?? bug('a thread of the store was run as a program');

const answers: Answers = {
  reply: (id, result, transfer = []) => port.postMessage({ id, result }, transfer),
  replyError: (id, error) => port.postMessage({ id, error: packError(error) }),
  end: () => port.close(),
};

const { role, options } = workerData as ThreadData;
if (role === 'sealer' && process.platform === 'linux') yieldProcessor();
try {
  const serve: Serve<never> = services[role];
  port.on('message', serve(options, answers));
  answers.reply(0, null);
} catch (error) {
  answers.replyError(0, error);
  answers.end();
}

function yieldProcessor(): void {
  try {
    setPriority(0, sealerNiceness);
  } catch {
    // If the system does not permit it, sealing runs at normal priority.
  }
}
