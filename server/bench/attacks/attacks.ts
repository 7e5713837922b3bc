/** Attacks on the service: what clients send who want to bring it down, each as hard as one process can. */
import { agentAttacks } from './agents.ts';
import type { Attack } from './attack.ts';
import { callAttacks } from './calls.ts';
import { messageAttacks } from './messages.ts';
import { peopleAttacks } from './people.ts';
import { streamAttacks } from './streams.ts';

/** Name → what is done at one time. */
export const attacks: Readonly<Record<string, readonly Attack[]>> = Object.fromEntries(
  Object.entries({
    ...callAttacks,
    ...streamAttacks,
    ...agentAttacks,
    ...messageAttacks,
    ...peopleAttacks,
  }).map(([name, parts]) => [name, [parts].flat()]),
);
