/** Preferences in SQL. */
import type { PreferenceWrites } from '../meta-store.ts';
import { type Mapping, plain, RecordTable } from './record-table.ts';
import type { SqlAccess } from './sql-access.ts';

const mapping: Mapping<{ key: string; value: string }, 'key'> = {
  table: 'preference',
  key: 'key',
  topic: 'people',
  fields: plain('key', 'value'),
  updated: ['value'],
};

/** The preferences of a store. */
export function preferencesIn(access: SqlAccess): PreferenceWrites {
  const table = new RecordTable(access, mapping);
  return {
    all: async () => new Map((await table.all()).map(({ key, value }) => [key, value])),
    save: (key, value) => table.save({ key, value }),
  };
}
