/** Sets of IDs as people switch their members on and off. */

/** The set with the ID, or without it if it is there. */
export function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return ids.symmetricDifference(new Set([id]));
}
