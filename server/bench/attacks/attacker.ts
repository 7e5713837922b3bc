/** Carries out one attack in a process of its own: `node attacker.ts NAME TARGET-AS-JSON MILLISECONDS`. */
import { carryOut } from './carry-out.ts';

const [name, target, durationMs] = process.argv.slice(2);
await carryOut(name, JSON.parse(target), Number(durationMs));
