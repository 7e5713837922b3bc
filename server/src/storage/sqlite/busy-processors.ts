/** Whether this process leaves less than one processor free. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the use of processors is measured. */
const measuredMs = 100;

/** Measures for a moment. Where there is only one processor, a half of it has to be free. */
export async function areProcessorsBusy(): Promise<boolean> {
  const startMs = performance.now();
  const start = process.cpuUsage();
  await sleep(measuredMs);
  const { user, system } = process.cpuUsage(start);
  const used = (user + system) / 1000 / (performance.now() - startMs);
  const count = availableParallelism();
  return used > count - Math.min(1, count / 2);
}
