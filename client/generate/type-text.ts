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

/** The type of a schema; `nameOf` names the schemas that it refers to. */
export function printType(schema: Schema, nameOf: (title: string) => string, indent: number): string {
  const print = (part: Schema) => printType(part, nameOf, indent);
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
      return `${printItems(schema.items ?? {}, print)}[]`;
    case 'object':
      return printObject(schema, nameOf, indent);
    default:
      return schema.properties === undefined ? 'unknown' : printObject(schema, nameOf, indent);
  }
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

function printObject(schema: Schema, nameOf: (title: string) => string, indent: number): string {
  const { properties = {}, patternProperties, required = [] } = schema;
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return `Record<string, ${printType(values, nameOf, indent)}>`;
  const members = Object.entries(properties).map(([name, property]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
    const mark = required.includes(name) ? '' : '?';
    const type = printType(property, nameOf, indent + 2);
    return `${printComment(property.description, indent + 2)}${' '.repeat(indent + 2)}${key}${mark}: ${type};\n`;
  });
  if (members.length > 0) return `{\n${members.join('')}${' '.repeat(indent)}}`;
  return schema.additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
}
