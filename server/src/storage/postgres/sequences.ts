/** The sequences of signals and of writes: whether they have come as far as the numbers that are in use. */
import { conflict } from '#model/error';
import { quoted } from './schema.ts';
import type { PostgresRunner } from './sql-runner.ts';

/** Of signals and of writes. */
interface Numbers {
  signal: number;
  write: number;
}

const givenStatement = `select
  (select case when is_called then last_value else 0 end from signal_number) as signal,
  (select case when is_called then last_value else 0 end from write_number) as write`;

/** Fails with `conflict`, and says what to do, where numbers are in use that were not given out yet. */
export async function requireGiven(runner: PostgresRunner, schema: string, used: Numbers): Promise<void> {
  const [row] = await runner.read(givenStatement, []);
  const given = { signal: Number(row.signal), write: Number(row.write) };
  if (used.signal <= given.signal && used.write <= given.write) return;
  const signal = Math.max(used.signal, given.signal, 1);
  const write = Math.max(used.write, given.write, 1);
  const name = (sequence: string) => `'${quoted(schema)}.${sequence}'`;
  throw conflict(
    `ClickHouse is ahead of PostgreSQL: points have numbers of signals up to ${used.signal} and of writes up to ${used.write}, and PostgreSQL has given out ${given.signal} and ${given.write}. It was probably restored from a copy that is older than that of ClickHouse: restore a newer one; or, without the signals that are missing, run "select setval(${name('signal_number')}, ${signal}), setval(${name('write_number')}, ${write})" in it`,
  );
}
