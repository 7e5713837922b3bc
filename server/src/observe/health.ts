/** The checks of `/readyz`: whether the store answers, and whether the disk has enough free space. */
import { statfs } from 'node:fs/promises';
import type { Limits } from '#model/limits';

/**
 * The checks, each of which finds null or a description of the problem. `ask` is any read of the store; without a directory no
 * disk of this machine keeps the data.
 */
export function healthChecks(
  directory: string | null,
  limits: Pick<Limits, 'diskFreeBytesMin'>,
  ask: () => Promise<unknown>,
) {
  const store = { name: 'store', check: () => ask().then(() => null) };
  if (directory === null) return [store];
  return [store, { name: 'disk', check: () => diskProblem(directory, limits.diskFreeBytesMin) }];
}

async function diskProblem(directory: string, freeBytesMin: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(directory);
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20);
  const free = bavail * bsize;
  return free >= freeBytesMin
    ? null
    : `${mebibytes(free)} MiB free, at least ${mebibytes(freeBytesMin)} MiB wanted`;
}
