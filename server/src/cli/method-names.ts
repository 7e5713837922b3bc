/** The methods as people write them on the command line: under any of their names, in any case. */
import { nearestName } from '#domain/formula/suggest';
import { UsageError } from './usage.ts';

/** The first name of a method, in the namespace `service` whatever that is called here (W8). `UsageError` with the nearest name when there is none. */
export async function methodName(text: string, namespaces: readonly string[]): Promise<string> {
  // Only this option needs the methods; loading them takes half the time of a command's start.
  const { methodDefinitions } = await import('#methods/index');
  const { namesUnder } = await import('#protocol/router');
  const names = new Map<string, string>();
  for (const { name, synonyms = [] } of methodDefinitions()) {
    const known = [name, ...synonyms].flatMap((each) => [each, ...namesUnder(each, namespaces)]);
    for (const each of known) names.set(each.toLowerCase(), name);
  }
  const name = names.get(text.toLowerCase());
  if (name !== undefined) return name;
  const near = nearestName(text.toLowerCase(), names.keys());
  const hint = near === null ? '' : `; did you mean "${near}"?`;
  throw new UsageError(`there is no method ${JSON.stringify(text)}${hint}`);
}
