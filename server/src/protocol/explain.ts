/**
 * Explains why a value does not match its schema (E2). It runs only after the compiled check has failed, on arbitrary input:
 * each value is visited once, and nothing is allocated for valid parts. It supports the keywords that our schemas use; a test
 * compares it with the compiled check.
 */
import { ProblemList, quote, type Steps } from '#model/problem-list';

/** A JSON Schema with the keywords that are used here. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly pattern?: string | RegExp;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

type Members = Record<string, unknown>;

/** The path to the current value; one array is reused for the whole traversal, since problems are rare. */
type Place = (string | number)[];

/** The problems of `value`, with paths below `steps`; empty when there are none. */
export function explain(schema: JsonSchema, value: unknown, steps: Steps = []): ProblemList {
  const list = new ProblemList();
  visit(schema, value, [...steps], list);
  return list;
}

function visit(schema: JsonSchema, value: unknown, place: Place, list: ProblemList): void {
  for (const part of schema.allOf ?? []) visit(part, value, place, list);
  if (schema.anyOf !== undefined) visitUnion(schema.anyOf, value, place, list);
  if (!isOfKind(schema, value)) {
    list.add(place, () => `must be ${wanted(schema)}, got ${quote(value)}`);
  } else if (typeof value === 'number') visitNumber(schema, value, place, list);
  else if (typeof value === 'string') visitString(schema, value, place, list);
  else if (Array.isArray(value)) visitArray(schema, value, place, list);
  else if (typeof value === 'object' && value !== null) visitObject(schema, value as Members, place, list);
}

/** Visits a member or an element of the value at `place`. */
function visitBelow(
  schema: JsonSchema,
  step: string | number,
  value: unknown,
  place: Place,
  list: ProblemList,
): void {
  place.push(step);
  visit(schema, value, place, list);
  place.pop();
}

/** Whether a value matches the constant or the types of a schema; other keywords are ignored. */
function isOfKind(schema: JsonSchema, value: unknown): boolean {
  if ('const' in schema && schema.const !== value) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.type === undefined) return true;
  if (typeof schema.type === 'string') return isOfType(schema.type, value);
  return schema.type.some((type) => isOfType(type, value));
}

/** Describes the types that {@link isOfKind} checks. */
function wanted(schema: JsonSchema): string {
  if ('const' in schema) return quote(schema.const);
  if (schema.enum !== undefined) return oneOf(schema.enum);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.map(typeName).join(' or ');
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? quote(values[0]) : `one of ${values.map(quote).join(', ')}`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

function typeName(type: string): string {
  if (type === 'boolean') return 'true or false';
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Reports the problems of the first branch whose type matches; else names all branches. */
function visitUnion(branches: readonly JsonSchema[], value: unknown, place: Place, list: ProblemList): void {
  const alike = branches.filter((branch) => isAlike(branch, value));
  // A single candidate's problems are reported as those of the union.
  if (alike.length === 1) visit(alike[0], value, place, list);
  else if (alike.length === 0) list.add(place, () => `must be ${branchNames(branches)}, got ${quote(value)}`);
  else if (!alike.some((branch) => explain(branch, value).isEmpty)) visit(alike[0], value, place, list);
}

function isAlike(branch: JsonSchema, value: unknown): boolean {
  return branch.anyOf !== undefined
    ? branch.anyOf.some((inner) => isAlike(inner, value))
    : isOfKind(branch, value);
}

function branchNames(branches: readonly JsonSchema[]): string {
  const flat = branches.flatMap((branch) => branch.anyOf ?? [branch]);
  const values = flat.flatMap((branch) => ('const' in branch ? [branch.const] : (branch.enum ?? [])));
  const types = flat.flatMap((branch) =>
    'const' in branch || branch.enum !== undefined ? [] : (branch.type ?? []),
  );
  const names = [...new Set(types)].map(typeName);
  if (values.length > 0) names.unshift(oneOf(values));
  return names.join(' or ');
}

function visitNumber(schema: JsonSchema, value: number, place: Place, list: ProblemList): void {
  const check = (limit: number | undefined, isMet: (limit: number) => boolean, words: string) => {
    if (limit !== undefined && !isMet(limit)) list.add(place, `must be ${words} ${limit}, got ${value}`);
  };
  check(schema.minimum, (limit) => value >= limit, 'at least');
  check(schema.maximum, (limit) => value <= limit, 'at most');
  check(schema.exclusiveMinimum, (limit) => value > limit, 'more than');
  check(schema.exclusiveMaximum, (limit) => value < limit, 'less than');
  check(schema.multipleOf, (limit) => value % limit === 0, 'a multiple of');
}

function visitString(schema: JsonSchema, value: string, place: Place, list: ProblemList): void {
  visitSize(schema.minLength, schema.maxLength, [...value].length, 'characters', place, list);
  if (schema.pattern === undefined || toRegExp(schema.pattern).test(value)) return;
  list.add(place, `must match ${sourceOf(schema.pattern)}, got ${quote(value)}`);
}

/** Compiled patterns of our schemas; there are a few dozen. */
const compiled = new Map<string, RegExp>();

function toRegExp(pattern: string | RegExp): RegExp {
  if (typeof pattern !== 'string') return pattern;
  const known = compiled.get(pattern) ?? new RegExp(pattern, 'u');
  compiled.set(pattern, known);
  return known;
}

function sourceOf(pattern: string | RegExp): string {
  return typeof pattern === 'string' ? pattern : pattern.source;
}

function visitArray(schema: JsonSchema, value: readonly unknown[], place: Place, list: ProblemList): void {
  visitSize(schema.minItems, schema.maxItems, value.length, 'entries', place, list);
  if (schema.items === undefined) return;
  for (let index = 0; index < value.length; index++)
    visitBelow(schema.items, index, value[index], place, list);
}

function visitObject(schema: JsonSchema, value: Members, place: Place, list: ProblemList): void {
  const names = Object.keys(value);
  visitSize(schema.minProperties, schema.maxProperties, names.length, 'entries', place, list);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) list.add([...place, name], 'required');
  }
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const patterns = Object.keys(patternProperties);
  for (const name of names) {
    const pattern = patterns.find((pattern) => toRegExp(pattern).test(name));
    if (Object.hasOwn(properties, name)) visitBelow(properties[name], name, value[name], place, list);
    else if (pattern !== undefined) visitBelow(patternProperties[pattern], name, value[name], place, list);
    else if (additionalProperties === false) addStray(place, name, patterns, properties, list);
    else if (additionalProperties !== true) visitBelow(additionalProperties, name, value[name], place, list);
  }
}

function addStray(
  place: Place,
  name: string,
  patterns: readonly string[],
  properties: object,
  list: ProblemList,
): void {
  place.push(name);
  list.add(place, () => strayWords(patterns, Object.keys(properties)));
  place.pop();
}

/** The message for an unknown member. */
function strayWords(patterns: readonly string[], names: readonly string[]): string {
  if (patterns.length > 0) return `the key must match ${patterns.join(' or ')}`;
  return names.length > 0 ? `unknown field; known are ${names.join(', ')}` : 'unknown field';
}

function visitSize(
  min: number | undefined,
  max: number | undefined,
  size: number,
  unit: 'characters' | 'entries',
  place: Place,
  list: ProblemList,
): void {
  const verb = unit === 'characters' ? 'be' : 'have';
  if (min !== undefined && size < min) list.add(place, `must ${verb} at least ${min} ${unit}, got ${size}`);
  if (max !== undefined && size > max) list.add(place, `must ${verb} at most ${max} ${unit}, got ${size}`);
}
