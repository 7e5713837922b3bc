/** Who makes a call, as the audit names it (L4a). */
import type { Act } from '#model/act';
import type { PersonCaller } from '#model/caller';
import { bug } from '#model/error';
import type { Call } from '#protocol/method';

/** The person, or the integration and credential, of a call, and the address that it came from. */
export function actOf({ caller, address }: Pick<Call, 'caller' | 'address'>): Act {
  const { integration, credential, person } = caller;
  const actor = person === undefined ? `integration:${integration}/${credential}` : `person:${person.id}`;
  return { actor, origin: address };
}

/** The person of a call: only people have the grant `console`. */
export function personOf({ caller }: Pick<Call, 'caller'>): PersonCaller {
  return caller.person ?? bug('the grant console was given to an integration');
}
