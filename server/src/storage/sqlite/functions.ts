/** SQL functions of ours that every connection has. */

import type { DatabaseSync } from 'node:sqlite';
import { compilePattern } from '#model/pattern';
import type { SqlValue } from '../meta/sql-runner.ts';
import { checkOfValues } from './metadata-checks.ts';

/** Registers `re2_matches(pattern, text)`: 1 when the RE2 pattern matches somewhere, else 0; null for null text. */
export function registerFunctions(db: DatabaseSync): void {
  db.function('row_check', { deterministic: true, varargs: true }, (...values) =>
    checkOfValues(values as SqlValue[]),
  );
  const options = { deterministic: true, directOnly: true } as const;
  db.function('re2_matches', options, (pattern, text) =>
    text === null ? null : Number(compilePattern(String(pattern)).test(String(text))),
  );
}
