/** The names of callers, as lists of calls and acts show them. */
import type { Identity } from '#domain/identity/identity';
import type { People } from '#domain/people/people';

/** ID → name, of integrations and people. */
export async function namesOf({
  people,
  identity,
}: {
  people: People;
  identity: Identity;
}): Promise<Map<string, string>> {
  const all = [...people.list(), ...(await identity.listIntegrations())];
  return new Map(all.map(({ id, name }) => [id, name]));
}
