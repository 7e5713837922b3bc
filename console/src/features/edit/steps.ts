/** The steps of a bulk edit, such as setting a label. */
import { readPeriod } from '../../platform/time/span.ts';
import { type Change, changeOf, mergeChanges } from './change.ts';
import { labelValues } from './pairs.ts';

/** Every action, with what it is called and what it asks for. */
export const stepActions = {
  'labels.set': { text: 'Set label', key: 'Label', value: 'Values, separated by commas' },
  'labels.remove': { text: 'Remove label', key: 'Label' },
  engUnit: { text: 'Set unit', value: 'Unit' },
  description: { text: 'Set description', value: 'Description' },
  sampleInterval: { text: 'Set sample interval', value: 'Such as 10 s; empty: not declared' },
  gapDetection: { text: 'Set gap detection', value: 'Such as 5 min; empty: not declared' },
  valueType: { text: 'Set type' },
  sourceType: { text: 'Set source' },
  visible: { text: 'Set visible' },
  'annotations.set': { text: 'Set annotation', key: 'Key', value: 'Text' },
  'annotations.remove': { text: 'Remove annotation', key: 'Key' },
} as const satisfies Record<string, { text: string; key?: string; value?: string }>;

/** One of {@link stepActions}. */
export type StepAction = keyof typeof stepActions;

/** One step. */
export interface Step {
  /** Only for the list in the page. */
  id: number;
  action: StepAction;
  key: string;
  value: string;
}

/** A step of an action, with the first value of a choice. */
export function newStep(id: number, action: StepAction): Step {
  return { id, action, key: '', value: firstValues[action] ?? '' };
}

const firstValues: Partial<Record<StepAction, string>> = {
  valueType: 'numeric',
  sourceType: 'measurement',
  visible: 'true',
};

/** Whether a step says all that it has to. Texts may be empty: that empties the field. */
export function isComplete({ action, key, value }: Step): boolean {
  if (action.includes('.') && key.trim() === '') return false;
  if (action === 'labels.set') return labelValues(value).length > 0;
  return action !== 'annotations.set' || value !== '';
}

/** What the steps change together. */
export function changeOfSteps(steps: readonly Step[]): Change {
  return mergeChanges(steps.filter(isComplete).map(changeOfStep));
}

function changeOfStep({ action, key, value }: Step): Change {
  const [field, act] = action.split('.') as [string, 'set' | 'remove' | undefined];
  if (act === 'remove') return changeOf(`${field}.${key.trim()}`, null);
  if (act === 'set')
    return changeOf(`${field}.${key.trim()}`, field === 'labels' ? labelValues(value) : value);
  if (action === 'visible') return { visible: value === 'true' };
  const isPeriod = action === 'sampleInterval' || action === 'gapDetection';
  return changeOf(action, isPeriod ? readPeriod(value) || null : value);
}
