/** Which items are calculated, as their annotations say (C6). */

/** Whether an item with these annotations is a formula over other items. */
export function isCalculated(annotations: Readonly<Record<string, string>>): boolean {
  return annotations['tidemark/calculated/version'] !== undefined;
}
