/** A cgroup with 2 GiB of memory, as compose.yaml gives the service; where the machine lets one be made. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What compose.yaml allows the service, bytes. */
export const cgroupBytesMax = 2 * 2 ** 30;

/** One. */
export interface MemoryCgroup {
  add(pid: number): void;
  /** Removes it; nothing may run in it any more. */
  remove(): void;
}

/** A new one; null where there are no cgroups or this user may not make any. */
export function newMemoryCgroup(): MemoryCgroup | null {
  const name = `tidemark-bench-${process.pid}`;
  const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const directory = join('/sys/fs/cgroup', isV2 ? '' : 'memory', name);
  try {
    mkdirSync(directory);
    writeFileSync(join(directory, isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(cgroupBytesMax));
  } catch {
    return null;
  }
  return {
    add: (pid) => writeFileSync(join(directory, 'cgroup.procs'), String(pid)),
    remove: () => rmdirSync(directory),
  };
}
