/** Who makes a call, as the audit names it (L4a). */
import type { Act } from '#model/act';
import type { Call } from '#protocol/method';

/** The integration and credential of a call, and the address that it came from. */
export function actOf({ caller, address }: Pick<Call, 'caller' | 'address'>): Act {
  return { actor: `integration:${caller.integration}/${caller.credential}`, origin: address };
}
