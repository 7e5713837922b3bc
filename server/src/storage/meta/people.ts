/** People, their sessions and the views that they save, in SQL. */

import type { Person, Session } from '#model/person';
import type { SavedView } from '#model/saved-view';
import { type Mapping, plain, RecordTable } from './record-table.ts';
import { sql } from './sql.ts';
import type { SqlAccess } from './sql-access.ts';

const people: Mapping<Person, 'id'> = {
  table: 'person',
  key: 'id',
  topic: 'people',
  fields: plain('id', 'name', 'role', 'passwordHash', 'createdAtMs', 'updatedAtMs'),
  updated: ['name', 'role', 'passwordHash', 'updatedAtMs'],
};

/** The sessions of people. */
export const sessions: Mapping<Session, 'id'> = {
  table: 'session',
  key: 'id',
  topic: 'people',
  isUpdateQuiet: true,
  fields: {
    ...plain('id', 'person', 'tokenSha256', 'createdAtMs', 'usedAtMs', 'expiresAtMs', 'address', 'userAgent'),
  },
  updated: ['usedAtMs'],
};

/** The views that people have saved. */
export const savedViews: Mapping<SavedView, 'id'> = {
  table: 'saved_view',
  key: 'id',
  topic: null,
  fields: plain('id', 'name', 'query', 'owner', 'createdAtMs', 'updatedAtMs'),
  updated: ['name', 'query', 'updatedAtMs'],
};

/** The people of a store. */
export class SqlPeople extends RecordTable<Person, 'id'> {
  constructor(access: SqlAccess) {
    super(access, people);
  }

  override async delete(id: string): Promise<void> {
    await this.access.run(sql`delete from session where person = ${id}`);
    await super.delete(id);
  }
}
