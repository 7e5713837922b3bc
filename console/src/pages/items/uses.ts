/** The saved views that show an item or use it in formulas. */
import type { Calculation, SavedView } from '@tidemark/client/wire';
import { parseView } from '../../features/explorer/view.ts';
import { parseSheet } from '../../features/formula/sheet.ts';
import { href } from '../../platform/router/place.ts';

type View = Pick<SavedView, 'id' | 'name' | 'query' | 'owner'>;

/** One saved view that uses the item. */
export interface Use {
  view: View;
  to: string;
  /** The names that the item has in its formulas; empty: it is shown without a formula. */
  aliases: readonly string[];
  /** The calculations that use the item, directly or through others. */
  calculations: readonly Calculation[];
}

/** The views that use an item, in their order. */
export function usesOf(views: readonly View[], item: string): Use[] {
  return views.flatMap((view) => {
    const search = new URLSearchParams(view.query);
    const sheet = parseSheet(search.get('f'));
    const aliases = sheet.items.filter(({ id }) => id === item).map(({ alias }) => alias);
    const isDrawn = parseView(search).items.includes(item);
    if (!isDrawn && aliases.length === 0) return [];
    const page = search.has('f') ? '/formulas' : '/explorer';
    const to = href(page, Object.fromEntries(search));
    return [{ view, to, aliases, calculations: dependents(aliases, sheet.calculations) }];
  });
}

/** Calculations come after those that they use, so one pass finds all. */
function dependents(aliases: readonly string[], calculations: readonly Calculation[]): Calculation[] {
  const needed = new Set(aliases);
  return calculations.filter(({ alias, formula }) => {
    const isUser = wordsOf(formula).some((word) => needed.has(word));
    if (isUser) needed.add(alias);
    return isUser;
  });
}

/** The names in a formula, without numbers such as `1e3`. */
function wordsOf(formula: string): string[] {
  return formula.match(/(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]*/g) ?? [];
}
