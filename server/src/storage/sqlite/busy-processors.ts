/** Whether this process leaves too little of the processors free for sealing. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the use of processors is measured. */
const measuredMs = 100;

/**
 * What has to be free: the sealer takes one processor, and the writer stores what it makes. Where there are few processors, a share
 * of them.
 */
const free = { processors: 1.25, share: 0.6 };

/** Measures for a moment. */
export async function areProcessorsBusy(): Promise<boolean> {
  const startMs = performance.now();
  const start = process.cpuUsage();
  await sleep(measuredMs);
  const { user, system } = process.cpuUsage(start);
  const used = (user + system) / 1000 / (performance.now() - startMs);
  const count = availableParallelism();
  return used > count - Math.min(free.processors, count * free.share);
}
