/**
 * Says in words why a value does not fit its schema (E2). Runs only after the compiled check has failed, so it is plain
 * rather than fast. It knows the keywords that our schemas use; a test holds it against the check.
 */
import { ProblemList, quote, type Steps } from './problem-list.ts';

/** A JSON Schema as this file and its neighbours read it. */
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

/** What is wrong with `value`, found below `steps`. Empty when nothing is. */
export function explain(schema: JsonSchema, value: unknown, steps: Steps = []): ProblemList {
  const list = new ProblemList();
  visit(schema, value, steps, list);
  return list;
}

function visit(schema: JsonSchema, value: unknown, steps: Steps, list: ProblemList): void {
  for (const part of schema.allOf ?? []) visit(part, value, steps, list);
  if (schema.anyOf !== undefined) visitUnion(schema.anyOf, value, steps, list);
  const mismatch = kindProblem(schema, value);
  if (mismatch !== null) {
    list.add(steps, `must be ${mismatch}, got ${quote(value)}`);
  } else if (typeof value === 'number') visitNumber(schema, value, steps, list);
  else if (typeof value === 'string') visitString(schema, value, steps, list);
  else if (Array.isArray(value)) visitArray(schema, value, steps, list);
  else if (typeof value === 'object' && value !== null) visitObject(schema, value as Members, steps, list);
}

/** What kind of value is wanted instead; null when the value is of the kind. */
function kindProblem(schema: JsonSchema, value: unknown): string | null {
  if ('const' in schema && schema.const !== value) return quote(schema.const);
  if (schema.enum !== undefined && !schema.enum.includes(value)) return oneOf(schema.enum);
  if (schema.type === undefined) return null;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return types.some((type) => isOfType(type, value)) ? null : types.map(typeName).join(' or ');
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

/** Of a union the branch speaks that the value is of the kind of; else all of them are named. */
function visitUnion(branches: readonly JsonSchema[], value: unknown, steps: Steps, list: ProblemList): void {
  if (branches.some((branch) => explain(branch, value, steps).isEmpty)) return;
  const alike = branches.find((branch) => isAlike(branch, value));
  if (alike !== undefined) visit(alike, value, steps, list);
  else list.add(steps, `must be ${branchNames(branches)}, got ${quote(value)}`);
}

function isAlike(branch: JsonSchema, value: unknown): boolean {
  return branch.anyOf !== undefined
    ? branch.anyOf.some((inner) => isAlike(inner, value))
    : kindProblem(branch, value) === null;
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

function visitNumber(schema: JsonSchema, value: number, steps: Steps, list: ProblemList): void {
  const check = (limit: number | undefined, isMet: (limit: number) => boolean, words: string) => {
    if (limit !== undefined && !isMet(limit)) list.add(steps, `must be ${words} ${limit}, got ${value}`);
  };
  check(schema.minimum, (limit) => value >= limit, 'at least');
  check(schema.maximum, (limit) => value <= limit, 'at most');
  check(schema.exclusiveMinimum, (limit) => value > limit, 'more than');
  check(schema.exclusiveMaximum, (limit) => value < limit, 'less than');
  check(schema.multipleOf, (limit) => value % limit === 0, 'a multiple of');
}

function visitString(schema: JsonSchema, value: string, steps: Steps, list: ProblemList): void {
  visitSize(schema.minLength, schema.maxLength, [...value].length, 'characters', steps, list);
  if (schema.pattern === undefined || toRegExp(schema.pattern).test(value)) return;
  list.add(steps, `must match ${sourceOf(schema.pattern)}, got ${quote(value)}`);
}

function toRegExp(pattern: string | RegExp): RegExp {
  return typeof pattern === 'string' ? new RegExp(pattern, 'u') : pattern;
}

function sourceOf(pattern: string | RegExp): string {
  return typeof pattern === 'string' ? pattern : pattern.source;
}

function visitArray(schema: JsonSchema, value: readonly unknown[], steps: Steps, list: ProblemList): void {
  visitSize(schema.minItems, schema.maxItems, value.length, 'entries', steps, list);
  if (schema.items === undefined) return;
  for (const [index, item] of value.entries()) visit(schema.items, item, [...steps, index], list);
}

function visitObject(schema: JsonSchema, value: Members, steps: Steps, list: ProblemList): void {
  const names = Object.keys(value);
  visitSize(schema.minProperties, schema.maxProperties, names.length, 'entries', steps, list);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) list.add([...steps, name], 'required');
  }
  for (const name of names) visitMember(schema, name, value[name], [...steps, name], list);
}

function visitMember(
  schema: JsonSchema,
  name: string,
  value: unknown,
  steps: Steps,
  list: ProblemList,
): void {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema;
  const patterns = Object.keys(patternProperties);
  const pattern = patterns.find((pattern) => toRegExp(pattern).test(name));
  if (Object.hasOwn(properties, name)) visit(properties[name], value, steps, list);
  else if (pattern !== undefined) visit(patternProperties[pattern], value, steps, list);
  else if (additionalProperties === false) list.add(steps, strayWords(patterns, Object.keys(properties)));
  else if (additionalProperties !== true) visit(additionalProperties, value, steps, list);
}

/** What to say about a name that has no place. */
function strayWords(patterns: readonly string[], names: readonly string[]): string {
  if (patterns.length > 0) return `the key must match ${patterns.join(' or ')}`;
  return names.length > 0 ? `unknown field; there are ${names.join(', ')}` : 'unknown field';
}

function visitSize(
  min: number | undefined,
  max: number | undefined,
  size: number,
  unit: 'characters' | 'entries',
  steps: Steps,
  list: ProblemList,
): void {
  const verb = unit === 'characters' ? 'be' : 'have';
  if (min !== undefined && size < min) list.add(steps, `must ${verb} at least ${min} ${unit}, got ${size}`);
  if (max !== undefined && size > max) list.add(steps, `must ${verb} at most ${max} ${unit}, got ${size}`);
}
