/** The checks of `/readyz`: whether the store answers, and whether the disk has enough free space. */
import { statfs } from 'node:fs/promises';
import type { Limits } from '#model/limits';
import type { MetaStore } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';

/** A check, which finds null or a short public description of the problem. */
export interface HealthCheck {
  /** One word. */
  name: string;
  check(): Promise<string | null>;
  /** Whether calls are served in spite of its problem, all but some of them. Default false. */
  isPartial?: boolean;
}

/** What is checked. */
interface Stores {
  meta: Pick<MetaStore, 'preferences'>;
  series: SeriesStore;
}

/** The checks; without a directory no disk of this machine keeps the data. */
export function healthChecks(
  directory: string | null,
  limits: Pick<Limits, 'diskFreeBytesMin'>,
  { meta, series }: Stores,
): HealthCheck[] {
  const { partProblems } = series;
  if (directory !== null) {
    const store = { name: 'store', check: () => series.scan({ sources: [] }).then(() => null) };
    return [store, { name: 'disk', check: () => diskProblem(directory, limits.diskFreeBytesMin) }];
  }
  // Other servers have to be asked for something.
  const problems = async () => (await partProblems?.call(series)) ?? [];
  const store = async () => {
    const [found] = await Promise.all([problems(), meta.preferences.all()]);
    return found.length > 0 && found.every((problem) => problem !== null) ? found[0] : null;
  };
  const shards = async () => (await problems()).find((problem) => problem !== null) ?? null;
  return [
    { name: 'store', check: store },
    { name: 'shards', check: shards, isPartial: true },
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
