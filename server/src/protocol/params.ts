/** From the `params` member of a call to what a method's `run` takes (W4). */
import { invalidParams } from '#model/error';
import type { Method } from './method.ts';
import { ProblemList } from './problem-list.ts';
import { compileReader } from './schema.ts';
import { type Screening, screenParams } from './screen.ts';
import { ignoresUnknown, type Version } from './version.ts';

/** Reads the parameters of one method in one version. `invalid-params` names each path and what is wrong there. */
export type ParamsReader = (params: unknown, screening: Screening) => unknown;

type Members = Record<string, unknown>;

/** Prepares reading the parameters of `method` as `version` wants it. */
export function compileParams(method: Method, version: Version): ParamsReader {
  const reader = compileReader(method.params);
  const names = Object.keys(method.params.properties);
  const synonyms = new Map(Object.entries(method.paramSynonyms ?? {}));
  const refused = new Set(method.refusedParams);
  const ignores = (name: string) => ignoresUnknown(version) && !refused.has(name);
  return (params, screening) => {
    const given = toMembers(params, names);
    screenParams(given, screening);
    return reader.read(pick(given, names, synonyms, ignores));
  };
}

/** By name, or by position in the order of the names; absent is empty. */
function toMembers(params: unknown, names: readonly string[]): Members {
  if (params === undefined) return {};
  if (Array.isArray(params)) return byPosition(params, names);
  if (typeof params === 'object' && params !== null) return params as Members;
  throw invalidParams({ '': ['must be an object, or an array in the order of the parameters'] });
}

function byPosition(values: readonly unknown[], names: readonly string[]): Members {
  if (values.length > names.length) {
    throw invalidParams({ '': [`must have at most ${names.length} entries, got ${values.length}`] });
  }
  return Object.fromEntries(values.map((value, index) => [names[index], value]));
}

/** The known parameters under their own names, in the method's order. */
function pick(
  given: Members,
  names: readonly string[],
  synonyms: ReadonlyMap<string, string>,
  ignores: (name: string) => boolean,
): Members {
  const picked: Members = {};
  for (const name of names) if (Object.hasOwn(given, name)) picked[name] = given[name];
  const problems = new ProblemList();
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(picked, name)) continue;
    const meant = synonyms.get(name);
    if (meant === undefined) {
      if (!ignores(name)) problems.add([name], 'unknown parameter');
    } else if (!Object.hasOwn(picked, meant)) picked[meant] = given[name];
    else problems.add([name], `is another name of "${meant}"; give only one of them`);
  }
  if (!problems.isEmpty) throw problems.toError();
  return picked;
}
