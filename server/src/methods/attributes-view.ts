/** Attributes as clients read them: the part that every view of signals and items has in common (R5, R6). */

import Type from 'typebox';
import { printDuration } from '#model/duration';
import { printInstant } from '#model/instant-printer';
import type { Attributes } from '#model/signal';
import { nullable } from '#protocol/schema';

/** A map of texts, as a view holds it. */
export const textMapSchema = Type.Record(Type.String(), Type.String());

const intervalSchema = nullable(Type.String(), {
  description: 'A fixed duration in canonical form, such as PT15M; null: unset (R4).',
});

/** The schemas of the members of {@link attributeFields}, maps as JSON objects, in the order of R5. */
export const attributeSchemas = {
  name: Type.String(),
  description: Type.String(),
  valueType: Type.Enum(['numeric', 'enum']),
  sourceType: Type.Enum(['measurement', 'aggregation', 'prediction']),
  engUnit: Type.String(),
  sampleInterval: intervalSchema,
  gapDetection: intervalSchema,
  labels: Type.Record(Type.String(), Type.Array(Type.String())),
  enumValues: textMapSchema,
};

/** The attributes in the order and with the texts of the wire (R5); the maps are still Maps, which keep any order of keys. */
export function attributeFields(attributes: Attributes) {
  return {
    name: attributes.name,
    description: attributes.description,
    valueType: attributes.valueType,
    sourceType: attributes.sourceType,
    engUnit: attributes.engUnit,
    sampleInterval: printInterval(attributes.sampleIntervalUs),
    gapDetection: printInterval(attributes.gapDetectionUs),
    labels: attributes.labels,
    enumValues: attributes.enumValues,
  };
}

/** Fields with each Map made a JSON object, keys sorted (all but whole numbers, which JavaScript puts first). */
export function printFields<T extends object>(fields: T): { [Name in keyof T]: Printed<T[Name]> } {
  const printed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    printed[name] = value instanceof Map ? printMap(value) : value;
  }
  return printed as { [Name in keyof T]: Printed<T[Name]> };
}

type Printed<V> = V extends ReadonlyMap<string, infer Value> ? Record<string, Value> : V;

/** A Map as a JSON object with its keys sorted. A key `__proto__` is a key like any other. */
export function printMap<V>(map: ReadonlyMap<string, V>): Record<string, V> {
  return map.size === 0 ? {} : Object.fromEntries(sortedKeys(map).map((key) => [key, map.get(key)!]));
}

/** The keys of a Map, ascending bytewise. */
export function sortedKeys(map: ReadonlyMap<string, unknown>): string[] {
  const keys = [...map.keys()];
  return keys.length < 2 ? keys : keys.sort((a, b) => (a < b ? -1 : 1));
}

/** A resource's date: RFC 3339, UTC (R3). */
export function printDate(ms: number): string {
  return printInstant(ms * 1000);
}

/** The same, or null. */
export function printDateOrNull(ms: number | null): string | null {
  return ms === null ? null : printDate(ms);
}

function printInterval(us: number | null): string | null {
  return us === null ? null : printDuration({ kind: 'fixed', us });
}
