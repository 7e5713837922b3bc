/** Deletes points by mutations, bounded by a version, so that what is written later stays. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#model/error';
import type { Window } from '#model/window';
import type { Cluster, Shard } from './cluster.ts';
import { ServerFailure } from './failures.ts';
import type { InsertOptions } from './insert.ts';
import { placesOfGroup } from './native-writer.ts';
import { releaseParts } from './quorum-parts.ts';
import { rangeSql } from './runs.ts';
import { dropPartitions } from './whole-partitions.ts';

/** Signals of one mutation at most. */
const signalsAtOnce = 5000;

/** Waits between looks at a mutation, ms: the first and the longest. */
const [firstWaitMs, longestWaitMs] = [5, 500];

/** A mutation that has waited so long, ms, may be waiting for parts that nothing changes. */
const stuckMs = 160;

/** Which points go: those of these signals in this window that are older than a number of the sequence. */
export interface Deletion {
  signals: readonly number[];
  window: Window;
  number: number;
}

/** The version below which everything was written before a number was taken. */
export function versionBelow(number: number): bigint {
  return BigInt(number) * BigInt(placesOfGroup);
}

/**
 * Deletes points; resolves when every replica of every shard has done so. Fails with `unavailable` when one does not answer, or
 * is not done in time: it goes on then, and the call may be repeated.
 */
export async function deleteWritten(
  cluster: Cluster,
  { signals, window, number }: Deletion,
  options: InsertOptions,
): Promise<void> {
  const range = rangeSql(window);
  if (range === null) return;
  const divided = cluster.divide(signals);
  const deadlineMs = performance.now() + options.tuning.deleteMsMax;
  const bound = versionBelow(number);
  await Promise.all(
    cluster.shards.map(async (shard, i) => {
      for (let from = 0; from < divided[i].length; from += signalsAtOnce) {
        const list = divided[i].slice(from, from + signalsAtOnce).join();
        const sql = `ALTER TABLE ${cluster.database}.points DELETE WHERE signal IN (${list}) AND ${range} AND version < ${bound}`;
        await mutate(shard, sql);
        const count = from / signalsAtOnce + 1;
        await finished(shard, { number, count, deadlineMs }, options);
      }
    }),
  );
}

/** Deletes the points of all signals before a time: whole partitions, and the rest by one mutation. Ends as {@link deleteWritten}. */
export async function deleteBefore(
  cluster: Cluster,
  { window, number }: Omit<Deletion, 'signals'>,
  options: InsertOptions,
): Promise<void> {
  const range = rangeSql(window);
  if (range === null) return;
  const deadlineMs = performance.now() + options.tuning.deleteMsMax;
  const old = `${range} AND version < ${versionBelow(number)}`;
  const table = `${cluster.database}.points`;
  await Promise.all(
    cluster.shards.map(async (shard) => {
      if (!(await dropWhole(shard, window.endUs, `${table} WHERE ${old}`, options))) return;
      await mutate(shard, `ALTER TABLE ${table} DELETE WHERE ${old}`);
      await finished(shard, { number, count: 1, deadlineMs }, options);
    }),
  );
}

/**
 * Drops whole partitions; whether something is left. Not where there are replicas: 18.16 misses the parts that were inserted with a
 * quorum afterwards, and refuses reads that are to see each acknowledged write.
 */
async function dropWhole(shard: Shard, endUs: number, old: string, options: InsertOptions): Promise<boolean> {
  try {
    if (!options.isReplicated) await dropPartitions(shard, endUs, options);
    return (await shard.server.table(`SELECT 1 FROM ${old} LIMIT 1 FORMAT TabSeparated`)).length > 0;
  } catch (error) {
    throw explain(shard, error);
  }
}

async function mutate(shard: Shard, sql: string): Promise<void> {
  const { server } = shard;
  try {
    await server.command(sql, { mutations_sync: 0 });
  } catch (error) {
    throw explain(shard, error);
  }
}

interface Expected {
  /** Its version occurs in the text of each mutation of the deletion, and in no other one. */
  number: number;
  count: number;
  deadlineMs: number;
}

async function finished(shard: Shard, expected: Expected, options: InsertOptions): Promise<void> {
  if (shard.servers.length < shard.replicaCount)
    throw new AppError(
      'unavailable',
      `Shard ${shard.number} of the store of points has ${shard.replicaCount} replicas, of which ${shard.servers.length} are known by address: deletion must reach all`,
    );
  for (let waitMs = firstWaitMs; !(await isFinished(shard, expected, options)); ) {
    if (performance.now() > expected.deadlineMs)
      throw new AppError(
        'unavailable',
        `Shard ${shard.number} of the store of points is still deleting; repeat the call later`,
      );
    await wait(waitMs);
    waitMs = Math.min(longestWaitMs, 2 * waitMs);
    if (options.isReplicated && waitMs >= stuckMs) await releaseParts(shard, expected.number, options);
  }
}

async function isFinished(
  shard: Shard,
  { number, count }: Expected,
  { database }: InsertOptions,
): Promise<boolean> {
  const bound = versionBelow(number);
  const sql = `SELECT count(), sum(is_done) FROM system.mutations WHERE database = '${database}' AND table = 'points' AND position(command, '${bound}') > 0 FORMAT TabSeparated`;
  try {
    const answers = await Promise.all(shard.servers.map((server) => server.table(sql)));
    return answers.every(([[found, done]]) => Number(found) >= count && found === done);
  } catch (error) {
    throw explain(shard, error);
  }
}

function explain(shard: Shard, error: unknown): unknown {
  return error instanceof ServerFailure ? shard.explain(error) : error;
}
