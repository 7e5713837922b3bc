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

/** The most calculated items above one another; the graph must have no cycle. */
export function levelsOf(graph: InputGraph): number {
  const levels = new Map<string, number>();
  const levelOf = (id: string): number => {
    const inputs = graph.get(id);
    if (inputs === undefined) return 0;
    const known = levels.get(id);
    if (known !== undefined) return known;
    const level = 1 + Math.max(0, ...inputs.map(levelOf));
    levels.set(id, level);
    return level;
  };
  return Math.max(0, ...[...graph.keys()].map(levelOf));
}

/** The items that an item is computed from, at all levels. */
export function inputsBehind(graph: InputGraph, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (at: string): void => {
    for (const input of graph.get(at) ?? []) {
      if (found.has(input)) continue;
      found.add(input);
      visit(input);
    }
  };
  visit(id);
  return found;
}
