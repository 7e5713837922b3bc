/** Fills in missing parameters before they are validated: defaults, and null for optional values (W4). */
import type { JsonSchema } from './explain.ts';

/** Completes a value in place. */
export type Fill = (value: unknown) => void;

type Members = Record<string, unknown>;

/** How to fill in one member of an object. */
interface MemberFill {
  name: string;
  /** The default as JSON, so that each call gets its own. */
  defaultText: string | null;
  /** Whether null counts as absent. */
  dropsNull: boolean;
  fill: Fill | null;
}

/** Compiles the defaults of a schema; null when it has none. References are not followed. */
export function compileDefaults(schema: JsonSchema): Fill | null {
  const fills = [
    objectFill(schema),
    mapFill(schema),
    itemsFill(schema),
    branchFill(schema.anyOf),
    ...(schema.allOf ?? []).map(compileDefaults),
  ].filter((fill) => fill !== null);
  if (fills.length < 2) return fills[0] ?? null;
  return (value) => {
    for (const fill of fills) fill(value);
  };
}

function objectFill(schema: JsonSchema): Fill | null {
  const members = Object.entries(schema.properties ?? {})
    .map(([name, property]) => memberFill(name, property, schema.required?.includes(name) ?? false))
    .filter((member) => member.defaultText !== null || member.dropsNull || member.fill !== null);
  if (members.length === 0) return null;
  return (value) => {
    if (isObject(value)) for (const member of members) fillMember(value, member);
  };
}

function memberFill(name: string, schema: JsonSchema, isRequired: boolean): MemberFill {
  const defaultText = schema.default === undefined ? null : JSON.stringify(schema.default);
  const dropsNull = defaultText !== null || (!isRequired && !admitsNull(schema));
  return { name, defaultText, dropsNull, fill: compileDefaults(schema) };
}

function fillMember(object: Members, member: MemberFill): void {
  const { name, defaultText, fill } = member;
  const isPresent = Object.hasOwn(object, name) && !(member.dropsNull && object[name] === null);
  if (!isPresent && defaultText !== null) object[name] = JSON.parse(defaultText);
  else if (!isPresent) delete object[name];
  if (fill !== null && Object.hasOwn(object, name)) fill(object[name]);
}

/** Whether the schema accepts null. */
function admitsNull(schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(admitsNull);
  if ('const' in schema) return schema.const === null;
  if (schema.enum !== undefined) return schema.enum.includes(null);
  return schema.type === undefined || schema.type === 'null' || schema.type.includes('null');
}

function mapFill(schema: JsonSchema): Fill | null {
  const values = Object.values(schema.patternProperties ?? {});
  const fill = values.length === 1 ? compileDefaults(values[0]) : null;
  if (fill === null) return null;
  return (value) => {
    if (isObject(value)) for (const name of Object.keys(value)) fill(value[name]);
  };
}

function itemsFill(schema: JsonSchema): Fill | null {
  const fill = schema.items === undefined ? null : compileDefaults(schema.items);
  if (fill === null) return null;
  return (value) => {
    if (Array.isArray(value)) for (const item of value) fill(item);
  };
}

/** In a union, defaults are only applied if exactly one branch has any. */
function branchFill(branches: readonly JsonSchema[] = []): Fill | null {
  const fills = branches.map(compileDefaults).filter((fill) => fill !== null);
  return fills.length === 1 ? fills[0] : null;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
