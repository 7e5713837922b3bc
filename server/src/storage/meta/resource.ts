/** The mapping of signals and items to columns. */
import { type RawBuilder, sql } from 'kysely';
import type { FieldPath, ScalarField } from '#model/filter';
import type { Attributes, Item, Signal, SourceType, ValueType } from '#model/signal';
import type { FedItem } from '#storage/store';
import type { SqlDialect } from './dialect.ts';
import type { SqlRow, SqlValue } from './sql-runner.ts';

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

/** One kind of resource in tables. */
export interface ResourceTables<T> extends FilterableTables {
  /** All columns, as {@link valuesOf} gives them; `id` comes first. */
  columns: readonly string[];
  /** The columns that an update replaces. */
  updated: readonly string[];
  valuesOf(record: T): SqlValue[];
  recordOf(row: SqlRow): T;
}

const sharedColumns = [
  'id',
  'name',
  'description',
  'value_type',
  'source_type',
  'eng_unit',
  'sample_interval_us',
  'gap_detection_us',
  'labels',
  'enum_values',
  'annotations',
  'created_at_ms',
  'updated_at_ms',
] as const;

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

const unchanging = ['id', 'created_at_ms'];

/** Signals in tables. */
export const signalTables: ResourceTables<Signal> = {
  table: 'signal',
  labelTable: 'signal_label',
  columns: [...sharedColumns, 'number', 'integration', 'input', 'item'],
  updated: [...sharedColumns.filter((column) => !unchanging.includes(column)), 'item'],
  fields: new Map([
    ...sharedFields,
    ['input', { name: 'input', kind: 'text' }],
    ['item', { name: 'item', kind: 'text' }],
    ['integration', { name: 'integration', kind: 'text' }],
  ]),
  valuesOf: (signal) => [
    ...sharedValues(signal),
    signal.number,
    signal.integration,
    signal.input,
    signal.item,
  ],
  recordOf: (row) => ({
    id: String(row.id),
    number: Number(row.number),
    integration: String(row.integration),
    input: String(row.input),
    attributes: attributesOf(row),
    annotations: textMapOf(row.annotations),
    item: row.item === null ? null : String(row.item),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  }),
};

/** Items in tables. */
export const itemTables: ResourceTables<Item> = {
  table: 'item',
  labelTable: 'item_label',
  columns: [...sharedColumns, 'visible'],
  updated: [...sharedColumns.filter((column) => !unchanging.includes(column)), 'visible'],
  fields: new Map([...sharedFields, ['visible', { name: 'visible', kind: 'flag' }]]),
  valuesOf: (item) => [...sharedValues(item), Number(item.visible)],
  recordOf: (row) => ({
    id: String(row.id),
    attributes: attributesOf(row),
    annotations: textMapOf(row.annotations),
    visible: Number(row.visible) === 1,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  }),
};

/** The columns that {@link fedItemOf} reads. */
export function fedItemColumns(dialect: SqlDialect): RawBuilder<unknown> {
  const numbers = dialect.arrayOf(sql`number`);
  return sql`item.*, (select ${numbers} from signal where signal.item = item.id) as signals`;
}

/** An item with the numbers of its signals. */
export function fedItemOf(row: SqlRow): FedItem {
  const signals: number[] = JSON.parse(String(row.signals));
  return { ...itemTables.recordOf(row), signals: signals.sort((a, b) => a - b) };
}

/** The name of a JSON column by the field that it holds. */
export const mapColumns = {
  labels: 'labels',
  annotations: 'annotations',
  enumValues: 'enum_values',
} as const satisfies Partial<Record<Extract<FieldPath, { key: string }>['field'], string>>;

/** In the order of {@link sharedColumns}. */
function sharedValues({ id, attributes, annotations, createdAtMs, updatedAtMs }: Signal | Item): SqlValue[] {
  return [
    id,
    attributes.name,
    attributes.description,
    attributes.valueType,
    attributes.sourceType,
    attributes.engUnit,
    attributes.sampleIntervalUs,
    attributes.gapDetectionUs,
    printMap(attributes.labels),
    printMap(attributes.enumValues),
    printMap(annotations),
    createdAtMs,
    updatedAtMs,
  ];
}

function attributesOf(row: SqlRow): Attributes {
  return {
    name: String(row.name),
    description: String(row.description),
    valueType: row.value_type as ValueType,
    sourceType: row.source_type as SourceType,
    engUnit: String(row.eng_unit),
    sampleIntervalUs: numberOrNull(row.sample_interval_us),
    gapDetectionUs: numberOrNull(row.gap_detection_us),
    labels: mapOf<string[]>(row.labels),
    enumValues: textMapOf(row.enum_values),
  };
}

/** A number from a column that may be null. */
export function numberOrNull(value: SqlValue): number | null {
  return value === null ? null : Number(value);
}

/** `Object.fromEntries` and `JSON.parse` make every key, `__proto__` too, a plain own member. */
function printMap(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? '{}' : JSON.stringify(Object.fromEntries(map));
}

function textMapOf(json: SqlValue): ReadonlyMap<string, string> {
  return mapOf<string>(json);
}

const noEntries: ReadonlyMap<string, never> = new Map<string, never>();

function mapOf<V>(json: SqlValue): ReadonlyMap<string, V> {
  return json === '{}' ? noEntries : new Map(Object.entries<V>(JSON.parse(String(json))));
}
