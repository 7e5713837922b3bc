/** One insert into one shard: repeated where that helps, acknowledged when most replicas have it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { Shard } from './cluster.ts';
import { ServerFailure } from './failures.ts';
import { pointColumns } from './native-writer.ts';
import type { ClickHouseTuning } from './options.ts';
import type { Settings } from './server.ts';

/** What an insert depends on. */
export interface InsertOptions {
  database: string;
  tuning: ClickHouseTuning;
  isReplicated: boolean;
  log: Log;
}

/** Waits between attempts at an insert for which another one, of another node, must be complete: the first and the longest, ms. */
const [firstWaitMs, longestWaitMs] = [10, 200];

/**
 * How long a server waits for the other replicas, ms, before it answers with an error after which the insert is repeated: of one
 * that has died in the meantime it learns only then.
 */
const quorumMs = 10_000;

/** Errors after which the same insert may succeed: the quorum of an earlier one is not complete, or two wrote at once. */
const busyCodes = new Set([286, 319, 999]);

/**
 * Inserts the rows that `encode` makes, which may be called several times; nothing where there are none. Repeating an insert is
 * harmless, since its rows have the same versions. Fails with `unavailable`; the rows may be there then all the same.
 */
export async function insertInto(
  shard: Shard,
  encode: () => Generator<Uint8Array>,
  options: InsertOptions,
): Promise<void> {
  const made = encode();
  const first = made.next();
  if (first.done) return;
  let blocks: Iterable<Uint8Array> = continued(first.value, made);
  const { database, tuning, log } = options;
  const sql = `INSERT INTO ${database}.points (${pointColumns}) FORMAT Native`;
  const deadlineMs = performance.now() + tuning.insertMsMax;
  for (let attempt = 1, waitMs = firstWaitMs; ; attempt++, waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    const { server } = shard;
    try {
      await server.insert(sql, blocks, settingsOf(shard, options));
      return;
    } catch (error) {
      if (!(error instanceof ServerFailure)) throw error;
      const isBusy = error.code !== null && busyCodes.has(error.code);
      shard.avoid(server);
      if (isBusy ? performance.now() > deadlineMs : !shard.isWorthAnother(error, attempt)) {
        log.warn('an insert into the store of points failed', {
          origin: error.origin,
          reason: error.message,
        });
        throw refused(shard.explain(error));
      }
      if (isBusy) await wait(waitMs);
      blocks = encode();
    }
  }
}

function* continued<T>(first: T, rest: Iterable<T>): Generator<T> {
  yield first;
  yield* rest;
}

/** With replicas: acknowledged when most of them have it, one insert after another, so that reads can require it. */
function settingsOf({ replicaCount }: Shard, { isReplicated, tuning }: InsertOptions): Settings {
  const always = { async_insert: 0, optimize_on_insert: 0 };
  if (!isReplicated || replicaCount === 1) return always;
  return {
    ...always,
    insert_quorum: Math.floor(replicaCount / 2) + 1,
    insert_quorum_parallel: 0,
    insert_quorum_timeout: Math.min(quorumMs, tuning.insertMsMax),
  };
}

/** A write that failed may have reached some shards. */
function refused(error: Error): Error {
  if (!(error instanceof AppError)) return error;
  const { kind, message, detail } = error;
  return new AppError(kind, `The data may be stored in part; send it again. ${message}`, {
    detail,
    cause: error,
  });
}
