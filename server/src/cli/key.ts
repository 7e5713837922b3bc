/** `tidemark key rotate`: the key that signs tokens (A1). */
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printResult } from './result.ts';

/** The command. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'rotate',
    summary: 'sign tokens with a new key; tokens of the old one stay valid until they expire',
    action: rotate,
  },
];

async function rotate(call: Call): Promise<undefined> {
  await withDomain(call, false, ({ identity }) => identity.rotateSigningKey(cliAct()));
  printResult(call, { rotated: true }, 'tokens are signed with a new key');
}
