/**
 * Room in the system's table of the open files of this process. Linux doubles that table when it is full, and then each thread that
 * accepts a connection stands still until all processors have noticed: for 10 to 100 ms under load. The table never becomes smaller.
 */
import { Worker } from 'node:worker_threads';

/**
 * Makes room for `count` files, or for half of those that the process may open if these are fewer. That is done by a thread of its
 * own, which opens so many and closes them again; nothing is done on other systems than Linux. What is returned ends it.
 */
export function growFileTable(count: number): () => Promise<void> {
  if (process.platform !== 'linux') return async () => {};
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./file-table-thread.${extension}`, import.meta.url), {
    name: 'files',
    workerData: count,
  });
  worker.unref();
  // Without that room, the service goes on as well.
  worker.on('error', () => {});
  return async () => void (await worker.terminate());
}
