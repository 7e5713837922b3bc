/** Reads the `params` member of a call into the parameters of a method's `run` (W4). */
import { invalidParams, withPaths } from '#model/error';
import { ProblemList } from '#model/problem-list';
import type { Steps } from '#model/steps';
import type { Method } from './method.ts';
import { compileReader } from './schema.ts';
import { type Screening, screenParams } from './screen.ts';
import { ignoresUnknown, type Version } from './version.ts';

/** The parameters of a call. */
export interface ReadParams {
  params: unknown;
  /** Null when the parameters match. Else what is wrong with their names and types, in steps; `params` are without it afterwards. */
  refusal: Steps<ProblemList> | null;
  /** Replaces parameter names in an error's paths by the synonyms used in the request (E2). */
  spelt(error: unknown): unknown;
}

/** Reads the parameters of one method in one version. `invalid-params` when they are not parameters at all. */
export type ParamsReader = (params: unknown, screening: Screening) => ReadParams;

type Members = Record<string, unknown>;

/** Parameter → the synonym under which the request has it. */
type Spelling = ReadonlyMap<string, string>;

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
    const problems = new ProblemList();
    const { picked, spelling } = pick(given, names, synonyms, ignores, problems);
    const spelt =
      spelling.size === 0 ? asIs : (error: unknown) => withPaths(error, (path) => speltPath(path, spelling));
    const isRight = reader.matches(picked);
    if (isRight && problems.isEmpty) return { params: picked, refusal: null, spelt };
    const refusal = joined(problems, isRight ? null : reader.mend(picked));
    return { params: picked, refusal, spelt };
  };
}

/** The problems of the names, then those of the values. */
function* joined(names: ProblemList, values: Steps<ProblemList> | null): Steps<ProblemList> {
  if (values !== null) names.takeAll(yield* values);
  return names;
}

function asIs(error: unknown): unknown {
  return error;
}

function speltPath(path: string, spelling: Spelling): string {
  const [first] = path.split('.', 1);
  return (spelling.get(first) ?? first) + path.slice(first.length);
}

/** The parameters by name. Positional ones are assigned in the order of the names; absent `params` are empty. */
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

/** The known parameters by primary name, in the method's order, and the synonyms used in the request. */
function pick(
  given: Members,
  names: readonly string[],
  synonyms: ReadonlyMap<string, string>,
  ignores: (name: string) => boolean,
  problems: ProblemList,
): { picked: Members; spelling: Spelling } {
  const picked: Members = {};
  const spelling = new Map<string, string>();
  for (const name of names) if (Object.hasOwn(given, name)) picked[name] = given[name];
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(picked, name)) continue;
    const meant = synonyms.get(name);
    if (meant === undefined) {
      if (!ignores(name)) problems.add([name], 'unknown parameter');
    } else if (!Object.hasOwn(picked, meant)) {
      picked[meant] = given[name];
      spelling.set(meant, name);
    } else problems.add([name], `is another name of "${meant}"; give only one of them`);
  }
  return { picked, spelling };
}
