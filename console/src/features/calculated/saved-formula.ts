/** From a sheet of formulas to a calculated item, and back. */
import type { CalculatedItem } from '@tidemark/client/wire';
import { href } from '../../platform/router/place.ts';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';
import { namesIn, tokensOf } from '../formula/language.ts';
import { itemParams, printSheet, type Sheet, type SheetItem } from '../formula/sheet.ts';

/** What is saved of a calculation. */
export type SavedFormula = Pick<ParamsOf<'console.calculations.save'>, 'formula' | 'inputs'>;

/**
 * The calculation at a place of a sheet as one formula over items: earlier calculations that it uses are written out in
 * parentheses, and only items that it uses are inputs.
 */
export function savedFormula({ items, calculations }: Sheet, place: number): SavedFormula {
  const whole = new Map<string, string>();
  for (const { alias, formula } of calculations.slice(0, place + 1)) {
    whole.set(
      alias,
      replaceNames(formula, (name) => (whole.has(name) ? `(${whole.get(name)})` : name)),
    );
  }
  const formula = whole.get(calculations[place]!.alias)!;
  const used = namesIn(formula);
  return { formula, inputs: itemParams(items.filter(({ alias }) => used.has(alias))) };
}

/** The address of the page of formulas with a calculated item, whose formula is changed there. */
export function formulaHref({ id, formula, inputs }: CalculatedItem): string {
  const items = inputs.map(({ id, alias, aggregation, state, lead, lag }): SheetItem => {
    const offset = lead - lag;
    return { id, alias, aggregation, state: state ?? null, ...(offset === 0 ? {} : { offset }) };
  });
  const alias = freeName(items.map((item) => item.alias));
  const sheet = { items, calculations: [{ alias, formula }], hidden: new Set<string>() };
  return href('/formulas', { f: printSheet(sheet) ?? '', item: id });
}

function freeName(taken: readonly string[]): string {
  let name = 'result';
  while (taken.includes(name)) name += '_';
  return name;
}

function replaceNames(formula: string, replaced: (name: string) => string): string {
  let text = '';
  let end = 0;
  for (const { kind, from, to } of tokensOf(formula)) {
    const piece = formula.slice(from, to);
    text += formula.slice(end, from) + (kind === 'name' ? replaced(piece) : piece);
    end = to;
  }
  return text + formula.slice(end);
}
