/** Removals that cannot be undone: `--dry-run` shows what would go, and at a terminal the command asks before it removes. */
import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import type { Domain } from '#domain/domain';
import type { Call } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printJson } from './terminal.ts';
import { CommandError } from './usage.ts';

/** What would be removed. */
export interface Removal {
  /** For people, for example `integration "press" with 3 signals and 1 credential`. */
  text: string;
  /** For programs. */
  view: object;
}

/** The flags of a command that removes something. */
export function removalOptions(): Option[] {
  return [
    new Option('--yes', 'do not ask for confirmation'),
    new Option('--dry-run', 'print what would be removed, and change nothing'),
  ];
}

/**
 * Whether to go on. False after `--dry-run`, when what would be removed has been printed. Fails when the answer at the
 * terminal is not "yes". Without a terminal, and with `--yes`, nothing is asked.
 */
export async function mayRemove(
  call: Call,
  describe: (domain: Domain) => Promise<Removal>,
): Promise<boolean> {
  const { options, terminal, config } = call;
  if (options.dryRun === true) {
    const { text, view } = await withDomain(call, false, describe);
    terminal.stdout.write(
      config.settings.json ? printJson({ dryRun: true, ...view }) : `would remove ${text}\n`,
    );
    return false;
  }
  if (options.yes === true || !process.stdin.isTTY || !terminal.stderr.isTTY) return true;
  const { text } = await withDomain(call, false, describe);
  terminal.stderr.write(`This removes ${text}. It cannot be undone.\n`);
  if (!/^y(es)?$/i.test(await ask('Continue? [y/N] ')))
    throw new CommandError('not confirmed; nothing was changed');
  return true;
}

async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    prompt.once('close', () => resolve(''));
    return (await Promise.race([prompt.question(question), promise])).trim();
  } finally {
    prompt.close();
  }
}
