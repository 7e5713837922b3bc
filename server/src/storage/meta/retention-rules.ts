/** Retention rules in SQL. */
import { parseDuration, printDuration } from '#model/duration';
import { parseScope, printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { SavedWrites } from '../meta-store.ts';
import { type Mapping, RecordTable } from './record-table.ts';
import type { SqlAccess } from './sql-access.ts';

const mapping: Mapping<RetentionRule, 'scope'> = {
  table: 'retention_rule',
  key: 'scope',
  topic: null,
  fields: {
    scope: { print: printScope, parse: (stored) => parseScope(String(stored)) },
    keep: {
      print: (keep) => keep && printDuration(keep),
      parse: (stored) => (stored === null ? null : parseDuration(String(stored))),
    },
  },
  updated: ['keep'],
};

/** The retention rules of a store. */
export function retentionRulesIn(access: SqlAccess): SavedWrites<RetentionRule, RetentionScope> {
  return new RecordTable(access, mapping);
}
