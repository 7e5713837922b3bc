/** Load control as tests use it: with the default limits unless they choose others, and time that does not pass. */
import { Load } from '#load/load';
import type { Ticket } from '#load/ticket';
import { type Limits, limitDefaults } from '#model/limits';

/** One with these limits. */
export function newLoad(limits: Partial<Limits> = {}): Load {
  return new Load({ ...limitDefaults, ...limits }, { elapsedMs: () => 0 });
}

/** The ticket of a request that has the service to itself. */
export function newTicket(signal = new AbortController().signal): Ticket {
  return newLoad().open('192.0.2.1', () => signal);
}
