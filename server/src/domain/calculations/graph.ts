/** Which calculated items use which items: cycles, levels, and users (C5). */
import type { Item } from '#model/signal';

/** The inputs of each calculated item, by ID. */
export type InputGraph = ReadonlyMap<string, readonly string[]>;

/** The graph of these items; those that are not calculated have no inputs. */
export function graphOf(items: readonly Pick<Item, 'id' | 'calculation'>[]): InputGraph {
  return new Map(
    items.map(({ id, calculation }) => [id, (calculation?.inputs ?? []).map(({ item }) => item)]),
  );
}

/** A path from an item over inputs back to it, such as `[a, b, a]`; null: there is none. */
export function cycleFrom(graph: InputGraph, id: string): string[] | null {
  const seen = new Set<string>();
  const search = (at: string, path: readonly string[]): string[] | null => {
    for (const input of graph.get(at) ?? []) {
      if (input === id) return [...path, input];
      if (seen.has(input)) continue;
      seen.add(input);
      const found = search(input, [...path, input]);
      if (found !== null) return found;
    }
    return null;
  };
  return search(id, [id]);
}

/** How many calculated items are above one another, from an item down to the last of its inputs; the graph must have no cycle. */
export function levelsOf(graph: InputGraph, id: string, known = new Map<string, number>()): number {
  const inputs = graph.get(id);
  if (inputs === undefined) return 0;
  const found = known.get(id);
  if (found !== undefined) return found;
  const levels = 1 + Math.max(0, ...inputs.map((input) => levelsOf(graph, input, known)));
  known.set(id, levels);
  return levels;
}

/** The items that use an item, at all levels, and the item itself. */
export function usersAbove(graph: InputGraph, id: string): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [user, inputs] of graph)
    for (const input of inputs) users.getOrInsertComputed(input, () => []).push(user);
  return new Set([id, ...reached(users, id)]);
}

/** The items that an item is computed from, at all levels. */
export function inputsBehind(graph: InputGraph, id: string): ReadonlySet<string> {
  return reached(graph, id);
}

function reached(edges: InputGraph, id: string): Set<string> {
  const found = new Set<string>();
  const visit = (at: string): void => {
    for (const next of edges.get(at) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(id);
  return found;
}

/** Calculated items, each after those that it uses. */
export function inputsFirst(calculated: readonly Item[]): Item[] {
  const byId = new Map(calculated.map((item) => [item.id, item]));
  const ordered = new Set<Item>();
  const seen = new Set<Item>();
  const visit = (item: Item): void => {
    if (seen.has(item)) return;
    seen.add(item);
    for (const input of item.calculation?.inputs ?? []) {
      const used = byId.get(input.item);
      if (used !== undefined) visit(used);
    }
    ordered.add(item);
  };
  for (const item of calculated) visit(item);
  return [...ordered];
}
