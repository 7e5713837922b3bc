/** Looking up what calculated items are computed from (C2). */
import { conflict, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { FedItem, MetaReads } from '#storage/meta-store';
import { type InputItems, noInputs } from './derived.ts';

/** What looking up needs. */
interface InputLookUp {
  meta: Pick<MetaReads, 'items'>;
  limits: Pick<Limits, 'calculationItemsMax' | 'calculationLevelsMax'>;
  /** The parameter that says which items are read. */
  path: string;
}

/**
 * The inputs of those of these items that are calculated, and theirs, at all levels: one read of the metadata for each level.
 * Fails with `invalid-params` at `path` when they are too many.
 */
export async function lookUpInputs(items: readonly FedItem[], lookUp: InputLookUp): Promise<InputItems> {
  const { meta, path } = lookUp;
  const { calculationItemsMax: itemsMax, calculationLevelsMax: levelsMax } = lookUp.limits;
  let users = items.filter(({ calculation }) => calculation !== null);
  if (users.length === 0) return noInputs;
  const found = new Map<string, FedItem>();
  for (let level = 1; users.length > 0; level++) {
    if (level > levelsMax)
      throw invalidParams({ [path]: [`calculated items may use others over at most ${levelsMax} levels`] });
    const ids = inputsOf(users).filter((id) => !found.has(id));
    if (found.size + ids.length > itemsMax)
      throw invalidParams({
        [path]: [`the inputs of calculated items are more than ${itemsMax}: ask for fewer of them at a time`],
      });
    const inputs = ids.length === 0 ? [] : await meta.items.fedById(ids);
    for (const item of inputs) found.set(item.id, item);
    const missing = ids.find((id) => !found.has(id));
    if (missing !== undefined)
      throw conflict(`the item ${missing} does not exist, but calculated items use it`);
    users = inputs.filter(({ calculation }) => calculation !== null);
  }
  return found;
}

/** The IDs of the inputs of these items, each once. */
function inputsOf(items: readonly FedItem[]): string[] {
  return [...new Set(items.flatMap(({ calculation }) => calculation?.inputs.map(({ item }) => item) ?? []))];
}
