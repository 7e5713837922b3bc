/** The colours of states: chosen by administrators, else by what the words mean, else by place. */
import type { Item } from './item.ts';

/** Colours to choose from: what they are called, and their custom property. */
export const stateColors = {
  green: { name: 'Green', property: '--good' },
  amber: { name: 'Amber', property: '--warn' },
  red: { name: 'Red', property: '--bad' },
  blue: { name: 'Blue', property: '--info' },
  purple: { name: 'Purple', property: '--plum' },
  grey: { name: 'Grey', property: '--quiet' },
} as const;

/** One of {@link stateColors}. */
export type StateColor = keyof typeof stateColors;

/** The words of states and what they mean; the first that matches counts. */
const meanings: readonly (readonly [RegExp, StateColor])[] = [
  [/\b(faults?|faulty|errors?|fail(ed|ure|ing)?|alarms?|trip(ped)?|emergency|critical|bad|broken)\b/i, 'red'],
  [/\b(warn(ing)?s?|degraded|maintenance|service|manual|blocked|overload|limited)\b/i, 'amber'],
  [/\b(start(ing|up)?|stopping|opening|closing|heating|cooling|ramp(ing)?|init(ializing)?)\b/i, 'blue'],
  [/\b(stop(ped)?|off|idle|closed|standby|inactive|disabled|paused?|waiting|none|empty)\b/i, 'grey'],
  [/\b(run(ning|s)?|on|ok|okay|normal|open|opened|active|good|ready|auto(matic)?|producing)\b/i, 'green'],
];

/** The annotation of an item that holds the chosen colour of a state. */
export function colorAnnotation(state: number): string {
  return `console/state-color/${state}`;
}

/** The colour that an administrator has chosen for a state; null: none. */
export function chosenColor({ annotations }: Pick<Item, 'annotations'>, state: number): StateColor | null {
  const text = annotations[colorAnnotation(state)];
  return text !== undefined && Object.hasOwn(stateColors, text) ? (text as StateColor) : null;
}

/** The custom property of a state's colour; null where neither choice nor words say one. */
export function stateColor(item: Pick<Item, 'annotations' | 'states'>, state: number): string | null {
  const text = item.states.get(state) ?? '';
  const color = chosenColor(item, state) ?? meanings.find(([words]) => words.test(text))?.[1];
  return color === undefined ? null : stateColors[color].property;
}
