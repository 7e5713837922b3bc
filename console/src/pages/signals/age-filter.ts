/** Signals by the age of their newest point: the choices of the list, and the call. */
import type { FilterJson } from '../../parts/filter/terms.ts';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';

/** The choices; the value is in the address. */
export const ageChoices = [
  { value: 'any', text: 'Any age' },
  {
    value: 'silent',
    text: 'Silent',
    note: 'no point for longer than its gap detection, or than is usual for it',
  },
  { value: 'PT1H', text: 'No point for an hour' },
  { value: 'P1D', text: 'No point for a day' },
  { value: 'P7D', text: 'No point for a week' },
] as const;

/** One of the choices. */
export type AgeChoice = (typeof ageChoices)[number]['value'];

/** The choice in an address; `any` if there is none. */
export function readAge(text: string | null): AgeChoice {
  return ageChoices.find(({ value }) => value === text)?.value ?? 'any';
}

/** The state of a list of signals of an age, newest first, for `href`. */
export function agePlace(integration: string, age: AgeChoice) {
  return { integration, age, sort: 'age' };
}

/** Whether the call by age is needed, whose answer may be some seconds old. */
export function isByAge(age: AgeChoice, sort: string): boolean {
  return age !== 'any' || sort.replace('-', '') === 'age';
}

/** The parameters of `console.signals.byAge`. */
export function ageParams(
  integration: string,
  { filter, sort, age }: { filter: FilterJson; sort: string; age: AgeChoice },
): ParamsOf<'console.signals.byAge'> & { integration: string } {
  return {
    integration,
    filter,
    order: sort === '-age' ? 'oldest' : 'newest',
    ...(age === 'silent' ? { isSilentOnly: true } : {}),
    ...(age === 'silent' || age === 'any' ? {} : { olderThan: age }),
  };
}
