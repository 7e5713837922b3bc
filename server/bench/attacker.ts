/** Carries out one attack in a process of its own: `node attacker.ts NAME TARGET-AS-JSON MILLISECONDS`. */
import { attack } from './attacks.ts';

const [name, target, durationMs] = process.argv.slice(2);
await attack(name, JSON.parse(target), Number(durationMs));
