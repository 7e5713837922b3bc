/** What integrations may do: as it is stored, and as a caller has it. */
import { type Grant, grantsAll } from '#model/caller';
import type { Integration } from '#storage/meta-store';

const grantSets = new WeakMap<Integration, ReadonlySet<Grant>>();

/** Everything that an integration may do: the same set for each call, until the integration is read again. */
export function grantsOf(integration: Integration): ReadonlySet<Grant> {
  return grantSets.getOrInsertComputed(
    integration,
    ({ grants }) => new Set<Grant>(['integration', ...grants]),
  );
}

/** As they are stored: each once, without the one that everyone has, and without those of people. */
export function further(grants: readonly Grant[]): Grant[] {
  return [...new Set(grants)].filter((grant) => grant !== 'integration' && grantsAll.includes(grant));
}
