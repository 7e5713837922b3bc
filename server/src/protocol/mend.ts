/**
 * Takes the parts that do not match their schema out of parameters, so that the other parts can be checked too (E2). Nothing is ever
 * done with such parameters: the call is refused.
 */
import type { Steps as Place } from '#model/problem-list';
import { alikeBranches, type JsonSchema, memberSchema } from './explain.ts';

/** Takes the values at these places out of `value`, in place: what must be there becomes an empty value of the right type. */
export function mend(schema: JsonSchema, value: object, places: readonly Place[]): void {
  for (const place of places) mendAt(schema, value, place);
}

function mendAt(schema: JsonSchema, value: unknown, [step, ...below]: Place): void {
  if (step === undefined || typeof value !== 'object' || value === null) return;
  const branch = branchOf(schema, value);
  const members = value as Record<string | number, unknown>;
  const member = Array.isArray(value) ? branch.items : memberSchema(branch, String(step));
  if (member === undefined || typeof member === 'boolean') delete members[step];
  else if (below.length > 0) mendAt(member, members[step], below);
  else if (Array.isArray(value) || branch.required?.includes(String(step)) || 'default' in member)
    members[step] = emptyValue(member);
  else delete members[step];
}

/** The schema by which a value was explained. */
function branchOf(schema: JsonSchema, value: unknown): JsonSchema {
  const { anyOf, allOf } = schema;
  if (anyOf !== undefined) {
    const [first] = alikeBranches(anyOf, value);
    return first === undefined ? schema : branchOf(first, value);
  }
  return allOf === undefined ? schema : Object.assign({}, ...allOf, schema);
}

/** The default of a schema, else the smallest value of its type; other keywords may not match. */
function emptyValue(schema: JsonSchema): unknown {
  if ('default' in schema) return structuredClone(schema.default);
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return emptyValue(schema.anyOf[0]);
  const [type] = [schema.type].flat();
  if (type === 'object') return emptyObject(schema);
  return type === undefined ? null : emptyValues[type as keyof typeof emptyValues]();
}

const emptyValues = {
  null: () => null,
  boolean: () => false,
  integer: () => 0,
  number: () => 0,
  string: () => '',
  array: (): unknown[] => [],
};

function emptyObject({ properties = {}, required = [] }: JsonSchema): object {
  return Object.fromEntries(required.map((name) => [name, emptyValue(properties[name] ?? {})]));
}
