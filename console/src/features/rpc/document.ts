/** The OpenRPC document of a version (rpc.discover): methods, their parameters, and what a form needs to know of each. */

/** A JSON Schema, as far as forms look. */
export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  const?: unknown;
  $ref?: string;
}

/** A parameter of a method. */
export interface Parameter {
  name: string;
  required?: boolean;
  schema: Schema;
}

/** A method of the API. */
export interface Method {
  name: string;
  summary?: string;
  'x-synonyms'?: readonly string[];
  /** The grant that it needs, `invoke:service`; absent: none. */
  'x-scope'?: string;
  params: readonly Parameter[];
}

/** The methods of a version, with the schemas that they refer to. */
export interface ApiDocument {
  methods: readonly Method[];
  schemas: Readonly<Record<string, Schema>>;
}

/** The answer of rpc.discover, as far as it is read. */
export interface OpenRpc {
  methods: readonly Method[];
  components?: { schemas?: ApiDocument['schemas'] };
}

/** Every version that the service answers in. */
export const versions = ['1.2', '1.1', '1.1beta2', '1.1beta1', '1.0'] as const;

/** One of {@link versions}. */
export type ApiVersion = (typeof versions)[number];

/** Reads the document. */
export function readDocument({ methods, components }: OpenRpc): ApiDocument {
  return { methods, schemas: components?.schemas ?? {} };
}

/** What programs call comes first. */
const namespaces = ['integration', 'service', 'admin', 'console', 'rpc'];

/** Methods by the word before their first dot: the namespaces of programs, then the others as they come. */
export function byNamespace(methods: readonly Method[]): [namespace: string, methods: readonly Method[]][] {
  const groups = [...Map.groupBy(methods, ({ name }) => name.split('.')[0]!)];
  const rank = (name: string) => (namespaces.includes(name) ? namespaces.indexOf(name) : namespaces.length);
  return groups.toSorted(([a], [b]) => rank(a) - rank(b));
}

/** The schema that a reference points to, with the description next to the reference. */
export function resolveSchema(schema: Schema, schemas: ApiDocument['schemas']): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  if (name === undefined) return schema;
  const { $ref: _, ...rest } = schema;
  return { title: name, ...schemas[name], ...rest };
}

type FieldKind = 'text' | 'number' | 'flag' | 'choice' | 'scalar' | 'object' | 'json';

/** How a value of a schema is entered. */
export function fieldKind(schema: Schema): FieldKind {
  if (schema.enum) return 'choice';
  if (schema.anyOf) return isScalar(schema.anyOf) ? 'scalar' : 'json';
  if (schema.type === 'object' && hasFixedMembers(schema)) return 'object';
  return kindsByType.get(schema.type) ?? 'json';
}

const kindsByType = new Map<string | undefined, FieldKind>([
  ['string', 'text'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'flag'],
]);

/** Whether a text says every value: texts, numbers, and null, for which the field stays empty. */
function isScalar(alternatives: readonly Schema[]): boolean {
  return alternatives.every(({ type }) => ['string', 'integer', 'number', 'null'].includes(type ?? ''));
}

/** Whether an object's members are known by name, all of them, so that each can have a field. */
function hasFixedMembers({ properties, patternProperties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0 && patternProperties === undefined;
}

/** What can be said of a schema in a few words: `string, ^[a-v0-9]{20}$`, `integer from 1 to 50`, `array of Item`. */
export function describeSchema(schema: Schema): string {
  if (schema.enum) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.anyOf) return schema.anyOf.map(describeSchema).join(' or ');
  const name = schema.title ?? /([^/]+)$/.exec(schema.$ref ?? '')?.[1];
  if (schema.type === 'array') return `array of ${describeSchema(schema.items ?? {})}`;
  if (schema.patternProperties) {
    const [value] = Object.values(schema.patternProperties);
    return `map of ${describeSchema(value ?? {})}`;
  }
  const range = [
    schema.minimum === undefined ? '' : `from ${schema.minimum}`,
    schema.maximum === undefined ? '' : `to ${schema.maximum}`,
  ].filter(Boolean);
  return [name ?? schema.type ?? 'any value', ...range, schema.pattern ?? ''].filter(Boolean).join(' ');
}

/** Parameters to begin with: those that are required, each with the simplest value of its schema. */
export function initialParams(method: Method, schemas: ApiDocument['schemas']): Record<string, unknown> {
  const required = method.params.filter((parameter) => parameter.required);
  return Object.fromEntries(required.map(({ name, schema }) => [name, simplest(schema, schemas, 0)]));
}

function simplest(unresolved: Schema, schemas: ApiDocument['schemas'], depth: number): unknown {
  const schema = resolveSchema(unresolved, schemas);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return simplest(schema.anyOf[0] ?? {}, schemas, depth);
  const required = depth > 5 ? [] : (schema.required ?? []);
  const member = (name: string) => simplest(schema.properties?.[name] ?? {}, schemas, depth + 1);
  if (schema.type === 'object') return Object.fromEntries(required.map((name) => [name, member(name)]));
  const number = schema.minimum ?? 0;
  return { string: '', integer: number, number, boolean: false, array: [] }[schema.type ?? ''] ?? null;
}

interface Member {
  /** `data.filter.times`, from the parameter down. */
  path: string;
  type: string;
  description: string;
  isRequired: boolean;
}

/** The members of a schema and of those below it, three levels deep. */
export function membersOf(schema: Schema, schemas: ApiDocument['schemas'], path = '', depth = 0): Member[] {
  const whole = resolveSchema(schema, schemas);
  if (whole.type === 'array' && whole.items) return membersOf(whole.items, schemas, `${path}[]`, depth);
  return Object.entries(whole.properties ?? {}).flatMap(([name, member]) => {
    const below = resolveSchema(member, schemas);
    const here = `${path}${path === '' ? '' : '.'}${name}`;
    const entry = {
      path: here,
      type: describeSchema(below),
      description: below.description ?? '',
      isRequired: whole.required?.includes(name) ?? false,
    };
    return depth >= 2 ? [entry] : [entry, ...membersOf(below, schemas, here, depth + 1)];
  });
}

/** What an error code means, and what to do. */
export function explainError(code: number): string {
  return explanations[code] ?? 'An error of the service.';
}

const explanations: Readonly<Record<number, string>> = {
  [-32700]: 'The body is not valid JSON.',
  [-32600]: 'The body is JSON, but not a JSON-RPC 2.0 request.',
  [-32601]: 'This version has no method of this name. Choose another version above, or check the name.',
  [-32602]: 'A parameter is wrong. The errors are listed below by parameter.',
  [-32603]: 'An error of the service, not of the call. Its log has details under the trace ID.',
  [-32000]: 'The service failed to do it. Its log has details under the trace ID.',
  [-32001]: 'The call would have made a resource that is not valid; nothing was written.',
  [-32002]: 'A resource that the call needs is not valid.',
  [-32003]:
    'Not permitted. integration.* methods are for integrations: choose one under “Run as”. console.* methods are for people. An integration needs a grant for admin.* and service.*; viewers may only read.',
  [-32009]: 'Conflict with the current state: another client was faster, or the name is in use.',
  [-32015]: 'The service is busy, or the plan of the integration is exhausted. Try again later.',
  [-32021]: 'A part of the call failed; the other parts succeeded.',
};
