/** People for tests: the services over any store, with passwords that cost little. */
import { type OpenPeopleOptions, openPeople } from '#domain/people/open';
import { limitDefaults } from '#model/limits';
import { XidSource } from '#model/xid';
import { soleCoordination } from '#threads/coordination';
import { NumberTables } from '#threads/number-table';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { FixedClock, KeptLog, SeededRandom } from './world.ts';

/** Hashes in a millisecond. */
export const cheapPasswords = { logN: 4, r: 8, p: 1 };

/** A password that the rules accept. */
export const goodPassword = 'correct horse battery';

/** Where test browsers are. */
export const place = { address: '192.0.2.7', userAgent: 'test' };

/** Opens the services in memory, with a clock that can be moved. */
export async function openTestPeople(options: Partial<OpenPeopleOptions> & { clock?: FixedClock } = {}) {
  const clock = options.clock ?? new FixedClock();
  const random = options.random ?? new SeededRandom();
  const meta = options.meta ?? new MemoryMetaStore();
  const log = new KeptLog();
  const services = await openPeople({
    meta,
    clock,
    stopwatch: clock,
    random,
    ids: new XidSource(clock, random),
    tables: new NumberTables(),
    coordination: soleCoordination(clock),
    log,
    limits: limitDefaults,
    passwordCost: cheapPasswords,
    ...options,
  });
  return { ...services, clock, meta, log };
}
