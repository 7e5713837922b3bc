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

/** The name of an actor, as the audit records it, among these; null: it has none, or was deleted. */
export function actorNameIn(names: ReadonlyMap<string, string>, actor: string): string | null {
  return names.get(actor.split('/', 1)[0].replace(/^(person|integration):/, '')) ?? null;
}
