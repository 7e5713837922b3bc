/** Maps names and versions to method definitions (W1, W8, W9), in a table built at start. */
import { AppError, bug } from '#model/error';
import { quote } from '#model/problem-list';
import type { Method } from './method.ts';
import { compileParams, type ParamsReader } from './params.ts';
import { type Version, versions } from './version.ts';

/** A method in one version. */
export interface Route {
  method: Method;
  /** Its name with the primary namespace, as documents and logs write it. */
  name: string;
  readParams: ParamsReader;
}

/** The namespace for reading data in definitions, independent of the configured names. */
const dataPrefix = 'service.';

/** The same name under each namespace of the configuration, the primary one first (W8). Other names stay alone. */
export function namesUnder(name: string, namespaces: readonly string[]): string[] {
  if (!name.startsWith(dataPrefix)) return [name];
  return namespaces.map((namespace) => `${namespace}.${name.slice(dataPrefix.length)}`);
}

/** Finds methods by name. */
export class Router {
  readonly #columnNames: ReadonlySet<string>;
  readonly #tables: ReadonlyMap<Version, ReadonlyMap<string, Route>>;

  /** Duplicate names in one version, and duplicate namespaces, are bugs. */
  constructor(methods: readonly Method[], namespaces: readonly string[]) {
    const takers = methods.filter((method) => method.takesColumns === true);
    this.#columnNames = new Set(
      takers.flatMap(({ name }) => namesUnder(name, namespaces)).map((name) => name.toLowerCase()),
    );
    this.#tables = new Map(versions.map((version) => [version, buildTable(methods, version, namespaces)]));
  }

  /** The route of a name, ignoring case. `method-not-found` names the versions that have the method, if any. */
  find(name: string, version: Version): Route {
    const table = this.#tables.get(version) ?? bug(`no table of version ${version}`);
    return table.get(name) ?? table.get(name.toLowerCase()) ?? this.#fail(name, version);
  }

  /** Whether a method of this name reads a frame as columns in any version. */
  takesColumns(name: string): boolean {
    return this.#columnNames.has(name.toLowerCase());
  }

  #fail(name: string, version: Version): never {
    const elsewhere = versions.filter((other) => this.#tables.get(other)?.has(name.toLowerCase()));
    const hint =
      elsewhere.length === 0 ? '' : ` in version ${version}; X-API-Version ${elsewhere.join(', ')} has it`;
    throw new AppError('method-not-found', `Method not found: ${quote(name)}${hint}`);
  }
}

/** Each route under its names: as written, for the quick look-up, and in lower case. */
function buildTable(
  methods: readonly Method[],
  version: Version,
  namespaces: readonly string[],
): ReadonlyMap<string, Route> {
  const table = new Map<string, Route>();
  for (const method of methods.filter((method) => method.versions.includes(version))) {
    const [name] = namesUnder(method.name, namespaces);
    const route = { method, name, readParams: compileParams(method, version) };
    for (const known of [method.name, ...(method.synonyms ?? [])]) {
      for (const alias of namesUnder(known, namespaces)) addRoute(table, alias, route, version);
    }
  }
  return table;
}

function addRoute(table: Map<string, Route>, name: string, route: Route, version: Version): void {
  const key = name.toLowerCase();
  if (table.has(key)) bug(`two definitions of ${name} in version ${version}`);
  table.set(key, route);
  if (name !== key) table.set(name, route);
}
