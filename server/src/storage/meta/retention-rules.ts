/** Retention rules in SQL. */
import { parseDuration, printDuration } from '#model/duration';
import { parseScope, printScope, type RetentionRule } from '#model/retention';
import type { Mapping } from './record-table.ts';

/** The rules. */
export const retentionRules: Mapping<RetentionRule, 'scope'> = {
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
