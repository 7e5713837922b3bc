/** SQL functions that the store adds to its connections. */
import type { DatabaseSync } from 'node:sqlite';
import type { SqlValue } from '../meta/sql-runner.ts';
import { checkOfValues } from './metadata-checks.ts';

/** Thrown by a statement that exceeds its bound on work. */
export class WorkSpent extends Error {
  override readonly name = 'WorkSpent';
}

/** The work that statements of one connection may still do; one unit is about one comparison. */
export interface WorkMeter {
  left: number;
}

/**
 * Registers `row_check(values…)`, the checksum of a row, and `spend_work(units)`, which returns true until the returned meter
 * is used up, and then ends the statement with an error.
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
