/** The entry of a worker thread of the store. */
import { parentPort, workerData } from 'node:worker_threads';
import { bug } from '#model/error';
import { startPool, yieldProcessor } from '#threads/scheduling';
import type { ThreadData } from './messages.ts';
import { serveThread } from './thread-server.ts';

const data = workerData as ThreadData;
if (data.role === 'sealer') yieldProcessor('upkeep');
if (data.role === 'reader') {
  yieldProcessor('pool');
  await startPool();
  yieldProcessor('largeReads');
}
await serveThread(data, parentPort ?? bug('a thread of the store was run as a program'));
