/** Publishing rules in SQL. */
import type { PublishRule } from '#model/publish-rule';
import { flag, json, type Mapping, plain } from './record-table.ts';

/** The rules. */
export const publishRules: Mapping<PublishRule, 'id'> = {
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
