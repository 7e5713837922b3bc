/** Local times of a zone → instants, at clock changes too: none where the clocks went forward, two where they went back. */
import { checkZone, localUs, zoneTable } from '#model/zone';

/** No zone's clocks are changed twice within this time, in one direction and back. */
const nearUs = 26 * 3_600_000_000;

/** The instants at which the clocks of a zone show a local time, ascending: mostly one. */
export type InstantsOf = (localTimeUs: number) => readonly number[];

/** How a zone reads local times. `invalid-params` when the zone is unknown. */
export function instantsIn(zone: string): InstantsOf {
  checkZone(zone);
  return (local) => {
    const table = zoneTable(zone, local, local);
    const offsetAt = (us: number) => localUs(table, us) - us;
    const before = offsetAt(local - nearUs);
    const after = offsetAt(local + nearUs);
    if (before === after) return [local - before];
    const instants = [local - before, local - after].filter((us) => localUs(table, us) === local);
    return instants.sort((a, b) => a - b);
  };
}
