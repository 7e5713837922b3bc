/**
 * The lock by which a copy of the whole store excludes nodes: each node holds it together with the others for as long as it is
 * connected, and the copy holds it alone. It ends with its connection.
 */
import { type AppError, conflict } from '#model/error';
import { Connection, type ConnectOptions } from './connection.ts';
import { unavailable } from './errors.ts';
import { lockNumber } from './lock-number.ts';

/** A copy that excludes nodes. */
export interface SoleUse {
  /** Fails when the lock has been lost: nodes may have started since. */
  require(): void;
  release(): void;
}

/** Lets a node take part. Fails with `conflict` while the store is being copied. */
export async function takeSharedUse(connection: Connection, schema: string): Promise<void> {
  const { rows } = await connection.run('select pg_try_advisory_lock_shared($1) as mine', [lockOf(schema)]);
  if (rows[0].mine) return;
  throw conflict('"tidemark migrate" is copying the data of these servers: start nodes when it has ended');
}

/** Excludes nodes. Fails with `conflict` while one is alive, or was until a few seconds ago. */
export async function takeSoleUse(connect: ConnectOptions): Promise<SoleUse> {
  const connection = await Connection.open(connect);
  try {
    const { rows } = await connection.run('select pg_try_advisory_lock($1) as mine', [
      lockOf(connect.schema),
    ]);
    const [{ alive }] = (
      await connection.run("select count(*) as alive from node where seen_at > now() - interval '15 seconds'")
    ).rows;
    if (!rows[0].mine || Number(alive) > 0) throw inUse(Number(alive));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    require: () => {
      if (!connection.isUsable) throw unavailable('the connection that keeps nodes from starting was lost');
    },
    release: () => connection.close(),
  };
}

function inUse(alive: number): AppError {
  const who = alive === 0 ? 'A node, or another copy,' : alive === 1 ? 'A node' : `${alive} nodes`;
  return conflict(
    `${who} used these servers within the last 15 seconds: stop all nodes, wait as long, and run the command again`,
  );
}

function lockOf(schema: string): number {
  return lockNumber(schema, 'use');
}
