/** SQL functions that the store adds to its connections. */
import type { DatabaseSync } from 'node:sqlite';
import type { SqlValue } from '../meta/sql-runner.ts';
import { checkOfValues } from './metadata-checks.ts';

/** Thrown out of a statement that takes more work than it was allowed. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent';
}

/** What the statements of one connection may still spend; units are comparisons, about. */
export interface WorkMeter {
  left: number;
}

/**
 * Registers `row_check(values…)`, the checksum of a row, and `spend_work(units)`, which is true until the meter that is given
 * back is empty, and then ends the statement.
 */
export function registerFunctions(db: DatabaseSync): WorkMeter {
  db.function('row_check', { deterministic: true, varargs: true }, (...values) =>
    checkOfValues(values as SqlValue[]),
  );
  const meter: WorkMeter = { left: Number.POSITIVE_INFINITY };
  db.function('spend_work', { deterministic: false, directOnly: true }, (units) => {
    meter.left -= Number(units);
    if (meter.left < 0) throw new WorkSpent();
    return 1;
  });
  return meter;
}
