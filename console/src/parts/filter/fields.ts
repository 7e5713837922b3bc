/** The fields by which signals and items are filtered. */
import type { FilterField } from './terms.ts';

const sourceTypes = { measurement: 'measurement', aggregation: 'aggregation', prediction: 'prediction' };

const attributes: readonly FilterField[] = [
  { path: 'labels.', title: 'Label', kind: 'text', hasKey: true },
  { path: 'engUnit', title: 'Unit', kind: 'text' },
  { path: 'valueType', title: 'Type', kind: 'choice', choices: { numeric: 'numeric', enum: 'states' } },
  { path: 'sourceType', title: 'Source', kind: 'choice', choices: sourceTypes },
  { path: 'description', title: 'Description', kind: 'text' },
  { path: 'sampleInterval', title: 'Sample interval', kind: 'duration' },
  { path: 'gapDetection', title: 'Gap detection', kind: 'duration' },
  { path: 'annotations.', title: 'Annotation', kind: 'text', hasKey: true },
  { path: 'createdAt', title: 'Created', kind: 'date' },
  { path: 'updatedAt', title: 'Changed', kind: 'date' },
  { path: 'id', title: 'ID', kind: 'text' },
];

/** Of signals. */
export const signalFields: readonly FilterField[] = [
  { path: 'name', title: 'Name', kind: 'text' },
  { path: 'input', title: 'Input key', kind: 'text' },
  { path: 'item', title: 'Item', kind: 'presence' },
  ...attributes,
];

/** Of items. */
export const itemFields: readonly FilterField[] = [
  { path: 'name', title: 'Name', kind: 'text' },
  { path: 'visible', title: 'Visible', kind: 'choice', choices: { true: 'yes', false: 'no' } },
  ...attributes,
];
