/** The service's own description of its methods: where the schemas of tools come from. */

/** A JSON schema, as far as it is read here. */
export interface Schema {
  type?: string | readonly string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: readonly string[];
  [keyword: string]: unknown;
}

/** The schema of a tool's arguments. */
export interface InputSchema {
  type: 'object';
  properties: Record<string, Schema>;
  required: string[];
  additionalProperties: false;
  $defs?: Record<string, Schema>;
  [keyword: string]: unknown;
}

/** What is read of an OpenRPC document. */
export interface RpcDocument {
  info: { version: string };
  methods: { name: string; summary: string; params: { name: string; schema: Schema; required: boolean }[] }[];
  components: { schemas: Record<string, Schema> };
}

const prefix = '#/components/schemas/';

/** The methods of a service. */
export class Methods {
  readonly #document: RpcDocument;

  constructor(document: RpcDocument) {
    this.#document = document;
  }

  /** What the service says of a method. */
  summary(method: string): string {
    return this.#method(method).summary;
  }

  /** The schema of a parameter, or of a member of it, such as `query`, `filter`. Throws where the service has none. */
  schema(method: string, param: string, ...path: readonly string[]): Schema {
    const found = this.#method(method).params.find(({ name }) => name === param);
    let schema = found?.schema;
    for (const name of path)
      schema = schema === undefined ? undefined : this.#resolve(schema).properties?.[name];
    if (schema === undefined) throw new Error(`the service has no ${[method, param, ...path].join('.')}`);
    return schema;
  }

  /** The schema of an element of a list parameter, or of a member of it. */
  element(method: string, param: string, name: string): Schema {
    const items = this.#resolve(this.schema(method, param)).items ?? {};
    const schema = this.#resolve(items).properties?.[name];
    if (schema === undefined) throw new Error(`the service has no ${method}.${param}.${name}`);
    return schema;
  }

  /** The schema of arguments; what it refers to goes along. */
  input(properties: Record<string, Schema>, required: string[] = []): InputSchema {
    const used = new Map<string, Schema>();
    const schemas = Object.entries(properties).map(([name, schema]) => [name, this.#inline(schema, used)]);
    const input: InputSchema = {
      ...{ type: 'object', properties: Object.fromEntries(schemas), required, additionalProperties: false },
    };
    return used.size === 0 ? input : { ...input, $defs: Object.fromEntries(used) };
  }

  #method(name: string) {
    const method = this.#document.methods.find((each) => each.name === name);
    if (method === undefined) throw new Error(`the service has no method ${name}`);
    return method;
  }

  #resolve(schema: Schema): Schema {
    const reference = schema['$ref'];
    return typeof reference === 'string'
      ? (this.#document.components.schemas[reference.slice(prefix.length)] ?? {})
      : schema;
  }

  /** A schema whose references point into `$defs`; `used` gets what they name. */
  #inline(schema: Schema, used: Map<string, Schema>): Schema {
    return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
      if (key !== '$ref' || typeof value !== 'string') return value;
      const name = value.slice(prefix.length);
      if (!used.has(name)) {
        used.set(name, {});
        used.set(name, this.#inline(this.#document.components.schemas[name] ?? {}, used));
      }
      return `#/$defs/${name}`;
    });
  }
}
