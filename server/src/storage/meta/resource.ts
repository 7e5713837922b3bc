/** The mapping of signals and items to columns. */
import type { ItemCalculation } from '#model/calculation';
import type { FieldPath, ScalarField } from '#model/filter';
import type { Attributes, Item, Signal, SourceType, ValueType } from '#model/signal';

/** What a column holds, and so what it can be compared with; a flag is 0 or 1. */
export type ColumnKind = 'text' | 'number' | 'flag';

/** A field's column. */
export interface Column {
  name: string;
  kind: ColumnKind;
}

/** What a filter needs to know of one kind of resource. */
export interface FilterableTables {
  table: 'signal' | 'item';
  labelTable: 'signal_label' | 'item_label';
  /** The fields by which it can be filtered and sorted. */
  fields: ReadonlyMap<ScalarField, Column>;
}

/** What the rows of signals and items have in common; the three maps are JSON objects. */
interface ResourceRow {
  id: string;
  name: string;
  description: string;
  value_type: ValueType;
  source_type: SourceType;
  eng_unit: string;
  sample_interval_us: number | null;
  gap_detection_us: number | null;
  labels: string;
  enum_values: string;
  annotations: string;
  created_at_ms: number;
  updated_at_ms: number;
}

/** The row of a signal. */
export interface SignalRow extends ResourceRow {
  number: number;
  integration: string;
  input: string;
  item: string | null;
}

/** The row of an item. */
export interface ItemRow extends ResourceRow {
  /** 0 or 1. */
  visible: number;
  /** JSON; null: it is not calculated. */
  calculation: string | null;
}

/** One kind of resource in tables. */
export interface ResourceTables<T, Row extends ResourceRow> extends FilterableTables {
  columns: readonly (keyof Row & string)[];
  /** The columns that an update replaces. */
  updated: readonly (keyof Row & string)[];
  rowOf(record: T): Row;
  recordOf(row: Row): T;
}

const sharedFields: readonly (readonly [ScalarField, Column])[] = [
  ['id', { name: 'id', kind: 'text' }],
  ['name', { name: 'name', kind: 'text' }],
  ['description', { name: 'description', kind: 'text' }],
  ['valueType', { name: 'value_type', kind: 'text' }],
  ['sourceType', { name: 'source_type', kind: 'text' }],
  ['engUnit', { name: 'eng_unit', kind: 'text' }],
  ['sampleInterval', { name: 'sample_interval_us', kind: 'number' }],
  ['gapDetection', { name: 'gap_detection_us', kind: 'number' }],
  ['createdAt', { name: 'created_at_ms', kind: 'number' }],
  ['updatedAt', { name: 'updated_at_ms', kind: 'number' }],
];

/** The name of a JSON column by the field that it holds. */
export const mapColumns = {
  labels: 'labels',
  annotations: 'annotations',
  enumValues: 'enum_values',
} as const satisfies Partial<Record<Extract<FieldPath, { key: string }>['field'], string>>;

const sharedColumns = [
  ...sharedFields.map(([, { name }]) => name),
  ...Object.values(mapColumns),
] as (keyof ResourceRow)[];

const updatedColumns = sharedColumns.filter((name) => name !== 'id' && name !== 'created_at_ms');

/** The columns that hold numbers; the others hold texts. */
export const numberColumns: ReadonlySet<string> = new Set([
  ...sharedFields.filter(([, { kind }]) => kind === 'number').map(([, { name }]) => name),
  ...['visible', 'number'],
]);

/** Signals in tables. */
export const signalTables: ResourceTables<Signal, SignalRow> = {
  table: 'signal',
  labelTable: 'signal_label',
  columns: [...sharedColumns, 'number', 'integration', 'input', 'item'],
  updated: [...updatedColumns, 'item'],
  fields: new Map([
    ...sharedFields,
    ['input', { name: 'input', kind: 'text' }],
    ['item', { name: 'item', kind: 'text' }],
    ['integration', { name: 'integration', kind: 'text' }],
  ]),
  rowOf: (signal) => ({
    ...sharedRow(signal),
    number: signal.number,
    integration: signal.integration,
    input: signal.input,
    item: signal.item,
  }),
  recordOf: (row) => ({
    id: row.id,
    number: row.number,
    integration: row.integration,
    input: row.input,
    attributes: attributesOf(row),
    annotations: mapOf<string>(row.annotations),
    item: row.item,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }),
};

/** Items in tables. */
export const itemTables: ResourceTables<Item, ItemRow> = {
  table: 'item',
  labelTable: 'item_label',
  columns: [...sharedColumns, 'visible', 'calculation'],
  updated: [...updatedColumns, 'visible', 'calculation'],
  fields: new Map([...sharedFields, ['visible', { name: 'visible', kind: 'flag' }]]),
  rowOf: (item) => ({
    ...sharedRow(item),
    visible: Number(item.visible),
    calculation: item.calculation && JSON.stringify(item.calculation),
  }),
  recordOf: (row) => ({
    id: row.id,
    attributes: attributesOf(row),
    annotations: mapOf<string>(row.annotations),
    visible: row.visible === 1,
    calculation: row.calculation === null ? null : (JSON.parse(row.calculation) as ItemCalculation),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }),
};

function sharedRow({ id, attributes, annotations, createdAtMs, updatedAtMs }: Signal | Item): ResourceRow {
  return {
    id,
    name: attributes.name,
    description: attributes.description,
    value_type: attributes.valueType,
    source_type: attributes.sourceType,
    eng_unit: attributes.engUnit,
    sample_interval_us: attributes.sampleIntervalUs,
    gap_detection_us: attributes.gapDetectionUs,
    labels: printMap(attributes.labels),
    enum_values: printMap(attributes.enumValues),
    annotations: printMap(annotations),
    created_at_ms: createdAtMs,
    updated_at_ms: updatedAtMs,
  };
}

function attributesOf(row: ResourceRow): Attributes {
  return {
    name: row.name,
    description: row.description,
    valueType: row.value_type,
    sourceType: row.source_type,
    engUnit: row.eng_unit,
    sampleIntervalUs: row.sample_interval_us,
    gapDetectionUs: row.gap_detection_us,
    labels: mapOf<string[]>(row.labels),
    enumValues: mapOf<string>(row.enum_values),
  };
}

/** `Object.fromEntries` and `JSON.parse` make every key, `__proto__` too, a plain own member. */
function printMap(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? '{}' : JSON.stringify(Object.fromEntries(map));
}

const noEntries: ReadonlyMap<string, never> = new Map<string, never>();

function mapOf<V>(json: string): ReadonlyMap<string, V> {
  return json === '{}' ? noEntries : new Map(Object.entries<V>(JSON.parse(json)));
}
