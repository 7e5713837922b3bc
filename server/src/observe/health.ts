/** The checks of `/readyz`: whether the store answers, and whether the disk has enough free space. */
import { statfs } from 'node:fs/promises';
import type { Limits } from '#model/limits';

/** A component to check: null, or a description of its problem. */
export interface HealthCheck {
  name: string;
  check(): Promise<string | null>;
}

/** The checks. `ask` is any read of the store. */
export function healthChecks(
  directory: string,
  limits: Pick<Limits, 'diskFreeBytesMin'>,
  ask: () => Promise<unknown>,
): HealthCheck[] {
  return [
    { name: 'store', check: () => ask().then(() => null) },
    { name: 'disk', check: () => diskProblem(directory, limits.diskFreeBytesMin) },
  ];
}

async function diskProblem(directory: string, freeBytesMin: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(directory);
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20);
  const free = bavail * bsize;
  return free >= freeBytesMin
    ? null
    : `${mebibytes(free)} MiB free, at least ${mebibytes(freeBytesMin)} MiB wanted`;
}
