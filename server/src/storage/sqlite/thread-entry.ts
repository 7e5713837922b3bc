/** The entry of a worker thread of the store. */
import { parentPort, workerData } from 'node:worker_threads';
import { bug } from '#model/error';
import type { ThreadData } from './messages.ts';
import { serveThread } from './thread-server.ts';

await serveThread(workerData as ThreadData, parentPort ?? bug('a thread of the store was run as a program'));
