/** The fields of a calculated item as they are saved again: what an edit does not name stays as it is. */
import type { CalculatedItem } from '@tidemark/client/wire';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';

/** What `console.calculations.save` takes as `item`; annotations are merged, so they are left out. */
export type SavedItem = ParamsOf<'console.calculations.save'>['item'];

/** The item as it is. */
export function savedItem({ attributes, visible }: CalculatedItem): SavedItem {
  const { sampleInterval: _, gapDetection, ...fields } = attributes;
  return { ...fields, ...(gapDetection === null ? {} : { gapDetection }), visible } as SavedItem;
}

/** The methods whose answers change when a calculated item is saved. */
export const changedBySaving = [
  'console.calculations.list',
  'console.calculations.show',
  'console.calculations.versions',
  'service.selectItems',
  'console.items.status',
] as const;
