/** A JSON schema → the text of a TypeScript type, for those that the service's documents have. */

/** What is read of a schema. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

/** Where a type is printed. */
export interface Place {
  /** The type from outside, such as `Item['attributes']`; null: no indexed access leads to it. */
  at: string | null;
  /** Objects that were printed before, without indentation → their `at`. */
  seen: Map<string, string>;
}

/** Objects of fewer lines are printed again. */
const linesMin = 5;

/** The type of a schema; `nameOf` names the schemas that it refers to. An object that is in `place.seen` refers to that one. */
export function printType(
  schema: Schema,
  nameOf: (title: string) => string,
  indent: number,
  place: Place = { at: null, seen: new Map() },
): string {
  const print = (part: Schema) => printType(part, nameOf, indent, below(place, null));
  if (schema.$ref !== undefined) return nameOf(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return printLiteral(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(printLiteral).join(' | ');
  if (schema.anyOf !== undefined) return unique(schema.anyOf.map(print)).join(' | ');
  if (Array.isArray(schema.type))
    return unique(schema.type.map((type) => print({ ...schema, type }))).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `${printItems(schema.items ?? {}, (part) => printType(part, nameOf, indent, below(place, '[number]')))}[]`;
    case 'object':
      return printOnce(schema, nameOf, indent, place);
    default:
      return schema.properties === undefined ? 'unknown' : printOnce(schema, nameOf, indent, place);
  }
}

/** The place of a part. `mayLack`: undefined or null may be there instead. */
function below({ at, seen }: Place, step: string | null, mayLack = false): Place {
  if (at === null || step === null) return { at: null, seen };
  return { at: mayLack ? `NonNullable<${at}${step}>` : `${at}${step}`, seen };
}

function printOnce(schema: Schema, nameOf: (title: string) => string, indent: number, place: Place): string {
  const whole = printObject(schema, nameOf, 0, { at: null, seen: new Map() });
  if (whole.split('\n').length < linesMin) return printObject(schema, nameOf, indent, place);
  const known = place.seen.get(whole);
  if (known !== undefined) return known;
  if (place.at !== null) place.seen.set(whole, place.at);
  return printObject(schema, nameOf, indent, place);
}

/** A comment above a member; nothing where there is nothing to say. */
export function printComment(text: string | undefined, indent: number): string {
  return text === undefined ? '' : `${' '.repeat(indent)}/** ${text.replaceAll('*/', '* /')} */\n`;
}

function printLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function unique(types: readonly string[]): string[] {
  return [...new Set(types)];
}

function printItems(items: Schema, print: (part: Schema) => string): string {
  const isUnion = [items.anyOf, items.enum, items.type].some((part) => Array.isArray(part));
  return isUnion ? `(${print(items)})` : print(items);
}

function printObject(
  schema: Schema,
  nameOf: (title: string) => string,
  indent: number,
  place: Place,
): string {
  const { properties = {}, patternProperties, required = [] } = schema;
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined)
    return `Record<string, ${printType(values, nameOf, indent, below(place, '[string]'))}>`;
  const members = Object.entries(properties).map(([name, property]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    const isRequired = required.includes(name);
    const mark = isRequired ? '' : '?';
    const type = printType(property, nameOf, indent + 2, below(place, `['${name}']`, !isRequired));
    return `${printComment(property.description, indent + 2)}${' '.repeat(indent + 2)}${key}${mark}: ${type};\n`;
  });
  if (members.length > 0) return `{\n${members.join('')}${' '.repeat(indent)}}`;
  return schema.additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}
