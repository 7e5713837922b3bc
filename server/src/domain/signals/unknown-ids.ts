/** Problems of unknown IDs: often the ID of a signal is given where that of an item is needed, or the reverse (E2). */
import { pathsMax, quote } from '#model/problem-list';
import type { ResourceReads } from './plan.ts';

/** The problem of each ID that no item has; IDs beyond those that an answer lists are not looked up. */
export async function describeUnknownItems(
  reads: ResourceReads,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const looked = ids.slice(0, pathsMax);
  const signals = new Map((await reads.signals.byId(looked)).map((signal) => [signal.id, signal]));
  return describeEach(ids, (id) => {
    const signal = signals.get(id);
    if (signal === undefined) return `no item has the ID ${quote(id)}`;
    return signal.item === null
      ? 'is a signal; it has no item yet: publish it first'
      : `is a signal; its item is ${signal.item}`;
  });
}

/** The problem of each ID that no signal of the integration has. */
export async function describeUnknownSignals(
  reads: ResourceReads,
  ids: readonly string[],
  integration: string,
): Promise<Map<string, string>> {
  const items = new Set((await reads.items.byId(ids.slice(0, pathsMax))).map(({ id }) => id));
  const feeding = items.size === 0 ? [] : await reads.signals.ofItems([...items]);
  return describeEach(ids, (id) => {
    if (!items.has(id)) return `no signal of integration ${integration} has this ID`;
    const own = feeding.filter((signal) => signal.item === id && signal.integration === integration);
    const names = own.slice(0, 3).map((signal) => signal.id);
    if (own.length === 0) return `is an item; no signal of integration ${integration} feeds it`;
    return own.length === 1
      ? `is an item; its signal is ${names[0]}`
      : `is an item; its ${own.length} signals are ${names.join(', ')}${own.length > names.length ? ' …' : ''}`;
  });
}

function describeEach(ids: readonly string[], describe: (id: string) => string): Map<string, string> {
  return new Map(ids.map((id) => [id, describe(id)]));
}
