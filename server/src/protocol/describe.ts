/** Generates an OpenRPC document for each version, which `rpc.discover` returns too. */
import Type from 'typebox';
import { bug } from '#model/error';
import type { JsonSchema } from './explain.ts';
import { faultTable } from './fault.ts';
import { JsonText } from './json-text.ts';
import { defineMethod, type Method } from './method.ts';
import { namesUnder } from './router.ts';
import { describedKeyword } from './schema.ts';
import { type Version, versionDefault, versions } from './version.ts';

/** The description of the service in a document. */
export interface ServiceInfo {
  title: string;
  /** Of the program, not of the API. */
  programVersion: string;
  /** The URL of the API, ending in `/v1/rpc`. */
  rpcUrl: string;
  /** The names of the namespace that reads data, the primary one first (W8). */
  namespaces: readonly string[];
}

/** An OpenRPC 1.3.2 document, as plain JSON. */
export interface OpenRpcDocument {
  openrpc: '1.3.2';
  info: { title: string; version: string; description: string };
  servers: { name: string; url: string; description: string }[];
  methods: Record<string, unknown>[];
  components: {
    /** Schemas by title; other places refer to them. */
    schemas: Record<string, unknown>;
    errors: Record<string, { code: number; message: string }>;
  };
}

/** The document of one version: the methods it has, by name, synonyms under `x-synonyms`. */
export function describe(methods: readonly Method[], version: Version, info: ServiceInfo): OpenRpcDocument {
  const described = methods.filter((method) => method.versions.includes(version));
  const schemas: Schemas = new Map();
  return {
    openrpc: '1.3.2',
    info: {
      title: info.title,
      version,
      description: `API version ${version}, chosen with the header X-API-Version: ${version}. Without the header ${versionDefault} answers.`,
    },
    servers: [{ name: 'rpc', url: info.rpcUrl, description: `Tidemark ${info.programVersion}` }],
    methods: described.map((method) => describeMethod(method, info.namespaces, schemas)).sort(byName),
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      errors: Object.fromEntries(faultTable.map((fault) => [errorName(fault.code), fault])),
    },
  };
}

/** The documents of all versions, each generated and serialised on first use. */
export class Documents {
  readonly #methods: readonly Method[];
  readonly #info: ServiceInfo;
  readonly #known = new Map<Version, OpenRpcDocument>();
  readonly #texts = new Map<Version, JsonText>();

  constructor(methods: readonly Method[], info: ServiceInfo) {
    this.#methods = methods;
    this.#info = info;
  }

  /** The document of one version. */
  get(version: Version): OpenRpcDocument {
    return this.#known.getOrInsertComputed(version, () => describe(this.#methods, version, this.#info));
  }

  /** The serialised document of one version, shared by all answers, since it needs no authentication. */
  text(version: Version): JsonText {
    return this.#texts.getOrInsertComputed(
      version,
      () => new JsonText(Buffer.from(JSON.stringify(this.get(version)))),
    );
  }

  /** The method that answers with the document of the version in which it is called. */
  discoverMethod(): Method {
    return defineMethod({
      name: 'rpc.discover',
      versions,
      grant: null,
      summary: 'Describes the methods of this version.',
      params: Type.Object({}),
      result: Type.Unknown(),
      run: async (call) => this.text(call.version),
    });
  }
}

function byName(a: Record<string, unknown>, b: Record<string, unknown>): number {
  return String(a.name) < String(b.name) ? -1 : 1;
}

/** Collects the schemas of a document by title. */
type Schemas = Map<string, unknown>;

function describeMethod(
  method: Method,
  namespaces: readonly string[],
  schemas: Schemas,
): Record<string, unknown> {
  const known = [method.name, ...(method.synonyms ?? [])];
  const [name, ...synonyms] = known.flatMap((known) => namesUnder(known, namespaces));
  const faults =
    method.grant === null || method.grant === 'integration' ? [-32602, -32015] : [-32602, -32003, -32015];
  return {
    name,
    summary: method.summary,
    ...(synonyms.length > 0 ? { 'x-synonyms': synonyms } : {}),
    ...(method.grant === null ? {} : { 'x-scope': `invoke:${method.grant}` }),
    ...(method.grant === 'console' ? { 'x-role': method.role ?? 'admin' } : {}),
    paramStructure: 'either',
    params: describeParams(method, schemas),
    result: { name: 'result', schema: describeSchema(method.result, schemas) },
    errors: faults.map((code) => ({ $ref: `#/components/errors/${errorName(code)}` })),
  };
}

function describeParams(method: Method, schemas: Schemas): Record<string, unknown>[] {
  const { properties, required = [] } = method.params as JsonSchema;
  return Object.entries(properties ?? {}).map(([name, property]) => {
    const synonyms = Object.entries(method.paramSynonyms ?? {}).filter(([, meant]) => meant === name);
    return {
      name,
      required: required.includes(name) && !('default' in property),
      ...(synonyms.length > 0 ? { 'x-synonyms': synonyms.map(([synonym]) => synonym) } : {}),
      schema: describeSchema(property, schemas),
    };
  });
}

function errorName(code: number): string {
  return `E${-code}`;
}

/** A schema in the form of documents: schemas for documents only are inserted, and members with a default are not required. */
function describeSchema(schema: object, schemas: Schemas): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const described: unknown = (value as Record<string, unknown>)[describedKeyword];
    return described ?? gather(withoutDefaulted(value), schemas);
  });
}

/** Moves a schema with a title to the components, and returns a reference to it. */
function gather(schema: unknown, schemas: Schemas): unknown {
  const { title } = schema as { title?: unknown };
  if (typeof title !== 'string') return schema;
  const known = schemas.get(title) ?? schema;
  if (JSON.stringify(known) !== JSON.stringify(schema)) bug(`two schemas are titled ${title}`);
  schemas.set(title, known);
  return { $ref: `#/components/schemas/${title}` };
}

function withoutDefaulted(value: { required?: unknown; properties?: unknown }): unknown {
  const { required, properties } = value as JsonSchema;
  if (!Array.isArray(required) || properties === undefined) return value;
  const left = required.filter(
    (name: string) => !(properties[name] !== undefined && 'default' in properties[name]),
  );
  const { required: _, ...rest } = value;
  return left.length === 0 ? rest : { ...value, required: left };
}
