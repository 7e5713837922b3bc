/** Plans in SQL. */
import type { Plan, Rate } from '#model/plan';
import { flag, type Mapping, plain } from './record-table.ts';

/** The plans. */
export const plans: Mapping<Plan, 'name'> = {
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
