/**
 * Explains why a value does not match its schema (E2). It runs only after the compiled check has failed, on arbitrary input, in
 * steps: each value is visited once. It supports the keywords that our schemas use; a test compares it with the compiled check.
 */
import { type Steps as Place, ProblemList, quote } from '#model/problem-list';
import type { Steps } from '#model/steps';
import { characterCount } from '#model/text';

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

/** Why a value does not match. */
export interface Mismatch {
  /** By path; empty when the value matches. */
  problems: ProblemList;
  /** The places of the listed problems. */
  places: readonly Place[];
}

/** One traversal. */
interface Visit {
  problems: ProblemList;
  places: Place[];
  /** The path to the current value; one array for the whole traversal, since problems are rare. */
  at: (string | number)[];
  /** Values that were visited. */
  count: number;
}

/** The problems of `value`, in steps. */
export function* explain(schema: JsonSchema, value: unknown): Steps<Mismatch> {
  const visit: Visit = { problems: new ProblemList(), places: [], at: [], count: 0 };
  yield* visitValue(schema, value, visit);
  return visit;
}

function add({ problems, places, at }: Visit, words: string | (() => string), name?: string): void {
  const place = name === undefined ? at : [...at, name];
  if (!problems.isFull) places.push([...place]);
  problems.add(place, words);
}

function* visitValue(schema: JsonSchema, value: unknown, visit: Visit): Steps<void> {
  for (const part of schema.allOf ?? []) yield* visitValue(part, value, visit);
  if (schema.anyOf !== undefined) yield* visitUnion(schema.anyOf, value, visit);
  if (!visitPlain(schema, value, visit)) return;
  if (Array.isArray(value)) yield* visitArray(schema, value, visit);
  else if (typeof value === 'object' && value !== null) yield* visitObject(schema, value as Members, visit);
}

/** Visits a value without what it contains. Returns whether it is of the kind of its schema. */
function visitPlain(schema: JsonSchema, value: unknown, visit: Visit): boolean {
  const isFit = isOfKind(schema, value);
  if (!isFit) add(visit, () => `must be ${wanted(schema)}, got ${quote(value)}`);
  else if (typeof value === 'number') visitNumber(schema, value, visit);
  else if (typeof value === 'string') visitString(schema, value, visit);
  return isFit;
}

/** Values after which a step may end, and the time that they take if they are wrong, about ns. */
const perStep = 256;
const stepWork = perStep * 1000;

/** Visits a member or an element of the value at the current place. */
function* visitBelow(schema: JsonSchema, step: string | number, value: unknown, visit: Visit): Steps<void> {
  visit.at.push(step);
  if (isSimple(schema, value)) visitPlain(schema, value, visit);
  else yield* visitValue(schema, value, visit);
  visit.at.pop();
}

/** Whether enough values were visited for a pause. */
function isPause(visit: Visit): boolean {
  return ++visit.count % perStep === 0;
}

/** Whether there is nothing below a value, nor are there other schemas for it. */
function isSimple({ allOf, anyOf }: JsonSchema, value: unknown): boolean {
  return allOf === undefined && anyOf === undefined && (typeof value !== 'object' || value === null);
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
function* visitUnion(branches: readonly JsonSchema[], value: unknown, visit: Visit): Steps<void> {
  const alike = alikeBranches(branches, value);
  // A single candidate's problems are reported as those of the union.
  if (alike.length === 0) add(visit, () => `must be ${branchNames(branches)}, got ${quote(value)}`);
  else if (alike.length === 1 || !(yield* isAny(alike, value))) yield* visitValue(alike[0], value, visit);
}

function* isAny(branches: readonly JsonSchema[], value: unknown): Steps<boolean> {
  for (const branch of branches) if ((yield* explain(branch, value)).problems.isEmpty) return true;
  return false;
}

/** The branches of a union whose type a value has; the first is the one that it is explained by. */
export function alikeBranches(branches: readonly JsonSchema[], value: unknown): JsonSchema[] {
  return branches.filter((branch) => isAlike(branch, value));
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

function visitNumber(schema: JsonSchema, value: number, visit: Visit): void {
  const check = (limit: number | undefined, isMet: (limit: number) => boolean, words: string) => {
    if (limit !== undefined && !isMet(limit)) add(visit, `must be ${words} ${limit}, got ${value}`);
  };
  check(schema.minimum, (limit) => value >= limit, 'at least');
  check(schema.maximum, (limit) => value <= limit, 'at most');
  check(schema.exclusiveMinimum, (limit) => value > limit, 'more than');
  check(schema.exclusiveMaximum, (limit) => value < limit, 'less than');
  check(schema.multipleOf, (limit) => value % limit === 0, 'a multiple of');
}

function visitString(schema: JsonSchema, value: string, visit: Visit): void {
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined || maxLength !== undefined)
    visitSize(minLength, maxLength, characterCount(value), 'characters', visit);
  if (pattern === undefined || toRegExp(pattern).test(value)) return;
  add(visit, `must match ${sourceOf(pattern)}, got ${quote(value)}`);
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

function* visitArray(schema: JsonSchema, value: readonly unknown[], visit: Visit): Steps<void> {
  visitSize(schema.minItems, schema.maxItems, value.length, 'entries', visit);
  if (schema.items === undefined) return;
  for (let index = 0; index < value.length; index++) {
    yield* visitBelow(schema.items, index, value[index], visit);
    if (isPause(visit)) yield stepWork;
  }
}

function* visitObject(schema: JsonSchema, value: Members, visit: Visit): Steps<void> {
  const names = Object.keys(value);
  visitSize(schema.minProperties, schema.maxProperties, names.length, 'entries', visit);
  for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) add(visit, 'required', name);
  for (const name of names) {
    const below = memberSchema(schema, name);
    if (below === false) add(visit, () => strayWords(schema), name);
    else if (below !== true) yield* visitBelow(below, name, value[name], visit);
    if (isPause(visit)) yield stepWork;
  }
}

/** The schema of a member of an object; true: any value, false: there must be no such member. */
export function memberSchema(schema: JsonSchema, name: string): JsonSchema | boolean {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  const pattern = Object.keys(patternProperties).find((pattern) => toRegExp(pattern).test(name));
  return pattern === undefined ? additionalProperties : patternProperties[pattern];
}

/** The message for an unknown member. */
function strayWords({ patternProperties = {}, properties = {} }: JsonSchema): string {
  const patterns = Object.keys(patternProperties);
  const names = Object.keys(properties);
  if (patterns.length > 0) return `the key must match ${patterns.join(' or ')}`;
  return names.length > 0 ? `unknown field; known are ${names.join(', ')}` : 'unknown field';
}

function visitSize(
  min: number | undefined,
  max: number | undefined,
  size: number,
  unit: 'characters' | 'entries',
  visit: Visit,
): void {
  const verb = unit === 'characters' ? 'be' : 'have';
  if (min !== undefined && size < min) add(visit, `must ${verb} at least ${min} ${unit}, got ${size}`);
  if (max !== undefined && size > max) add(visit, `must ${verb} at most ${max} ${unit}, got ${size}`);
}
