/** What axe finds on a page. */
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** A violation of a rule: the rule, and the first element that violates it. */
export type Barrier = AxeResults['violations'][number];

/**
 * Where React Aria has screen readers announce a changed value: for seconds there is an image there that is labelled by an element
 * which a change of pages has removed meanwhile.
 */
const announcer = '[data-live-announcer]';

/** Runs axe in the page, in which it is loaded once; elements of `exclude` are left out, and all outside of `include`. */
export async function barriersOf(
  page: Page,
  options: RunOptions = {},
  { include, exclude = [] }: { include?: string; exclude?: readonly string[] } = {},
): Promise<Barrier[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async ([context, run]) => (await window.axe.run(context, run)).violations, [
    { ...(include ? { include: [include] } : {}), exclude: [...exclude, announcer] },
    { ...options, resultTypes: ['violations'] },
  ] as const satisfies readonly [axe.ElementContext, RunOptions]);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
