/** The describing fields of signals and items. */
import type { PublishState } from '@tidemark/client/wire';
import { attributeTitles } from '../../features/edit/change.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';

/** The fields in the order of their titles. */
export const attributeNames = Object.keys(attributeTitles) as readonly (keyof Attributes)[];

/** The titles of the fields in which a signal and its item differ; empty if there are none. */
export function differingFields(state: PublishState | undefined): string {
  const titles: Readonly<Record<string, string>> = attributeTitles;
  return state?.differs.map((name) => titles[name] ?? name).join(', ') ?? '';
}
