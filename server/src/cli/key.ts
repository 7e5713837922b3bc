/** `tidemark key rotate`: the key that signs tokens (A1). */
import type { Command } from 'commander';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printJson } from './terminal.ts';

/** Adds the command. */
export function defineKey(root: Command, run: Runner): void {
  const group = root.command('key').summary('manage the key that signs tokens');
  define(group, run, {
    usage: 'rotate',
    summary: 'sign tokens with a new key; tokens of the old one stay valid until they expire',
    settings: ['data'],
    action: rotate,
  });
}

async function rotate(call: Call): Promise<undefined> {
  await withDomain(call, false, ({ identity }) => identity.rotateSigningKey(cliAct()));
  call.terminal.stdout.write(
    call.config.settings.json ? printJson({ rotated: true }) : 'a new key signs tokens\n',
  );
}
