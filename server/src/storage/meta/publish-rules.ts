/** Publishing rules in SQL. */
import type { PublishRule } from '#model/publish-rule';
import type { SavedWrites } from '../meta-store.ts';
import { flag, json, type Mapping, plain, RecordTable } from './record-table.ts';
import type { SqlAccess } from './sql-access.ts';

const mapping: Mapping<PublishRule, 'id'> = {
  table: 'publish_rule',
  key: 'id',
  topic: null,
  fields: {
    ...plain('id', 'name', 'position', 'integration', 'filterText', 'createdAtMs', 'updatedAtMs'),
    isEnabled: flag,
    filter: json(),
    item: json(),
    maps: json(),
    joins: json(),
    overwrite: flag,
  },
  updated: [
    'name',
    'position',
    'isEnabled',
    'integration',
    'filter',
    'filterText',
    'item',
    'maps',
    'joins',
    'overwrite',
    'updatedAtMs',
  ],
};

/** The publishing rules of a store. */
export function publishRulesIn(access: SqlAccess): SavedWrites<PublishRule> {
  return new RecordTable(access, mapping);
}
