/** Plans in SQL. */
import type { Plan, Rate } from '#model/plan';
import type { RecordWrites } from '../meta-store.ts';
import { flag, type Mapping, plain, RecordTable } from './record-table.ts';
import type { SqlAccess } from './sql-access.ts';

const mapping: Mapping<Plan, 'name'> = {
  table: 'plan',
  key: 'name',
  topic: 'plans',
  fields: {
    ...plain('name', 'signalsMax', 'itemsMax', 'pointsPerDayMax'),
    rates: {
      print: (rates) => JSON.stringify(Object.fromEntries(rates)),
      parse: (stored) => new Map(Object.entries<Rate>(JSON.parse(String(stored)))),
    },
    isHard: flag,
  },
  updated: ['signalsMax', 'itemsMax', 'pointsPerDayMax', 'rates', 'isHard'],
};

/** The plans of a store. */
export function plansIn(access: SqlAccess): RecordWrites<Plan> {
  return new RecordTable(access, mapping);
}
