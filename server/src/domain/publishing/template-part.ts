/** The parts that a template is read into (P3). */

/** A change of a value; each takes the value before it. */
export type Step =
  | { step: 'lower' | 'upper' | 'trim' }
  | { step: 'default'; text: string }
  | { step: 'map'; map: string }
  /** The part with this number between separators: the first is 1, the last -1. */
  | { step: 'part'; separator: string; index: number };

/** A value of a signal that a template inserts. */
export interface Placeholder {
  /** As it was written, for messages. */
  path: string;
  field: PlainField | 'labels' | 'annotations';
  /** Of a label or annotation. */
  key: string;
  steps: readonly Step[];
}

/** Literal text and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** The fields that have one value. */
export const plainFields = [
  'name',
  'input',
  'description',
  'engUnit',
  'valueType',
  'sourceType',
  'id',
  'integration',
] as const;

/** A field with one value. */
export type PlainField = (typeof plainFields)[number];

/** The longest template, and the longest text that one gives, in UTF-16 units. */
export const templateLimits = { charactersMax: 1000, placeholdersMax: 20, resultMax: 4096 } as const;
