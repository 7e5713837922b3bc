/** Removals that cannot be undone: `--dry-run` prints what would be removed; a removal is confirmed at a terminal, or with `--yes`. */
import { createInterface } from 'node:readline/promises';
import { Option } from 'commander';
import type { Call } from './command.ts';
import { type DomainWork, withDomain } from './data-directory.ts';
import { printResult } from './result.ts';
import { CommandError, UsageError } from './usage.ts';

/** What would be removed. */
export interface Removal {
  /** For people, for example `integration "press" with 3 signals and 1 credential`. */
  text: string;
  /** For programs. */
  view: object;
}

/** The options of a command that removes something. */
export const removalOptions = [
  new Option('--yes', 'do not ask for confirmation; needed where there is no terminal'),
  new Option('--dry-run', 'print what would be removed, and change nothing'),
];

/**
 * Whether to go on. False after `--dry-run`, when what would be removed has been printed. Fails when the answer at the
 * terminal is not "yes", and without a terminal unless there is `--yes`.
 */
export async function mayRemove(call: Call, describe: DomainWork<Removal>): Promise<boolean> {
  const { options, terminal } = call;
  if (options.dryRun === true) {
    const { text, view } = await withDomain(call, false, describe);
    printResult(call, { dryRun: true, ...view }, `would remove ${text}`);
    return false;
  }
  if (options.yes === true) return true;
  const { text } = await withDomain(call, false, describe);
  if (!process.stdin.isTTY || !terminal.stderr.isTTY)
    throw new UsageError(
      `this would remove ${text}, which cannot be undone; there is no terminal to ask at: confirm it with --yes`,
    );
  terminal.stderr.write(`This removes ${text}. It cannot be undone.\n`);
  if (!/^y(es)?$/i.test(await ask('Continue? [y/N] ')))
    throw new CommandError('not confirmed; nothing was changed');
  return true;
}

async function ask(question: string): Promise<string> {
  using prompt = createInterface({ input: process.stdin, output: process.stderr });
  const { promise, resolve } = Promise.withResolvers<string>();
  prompt.once('close', () => resolve(''));
  return (await Promise.race([prompt.question(question), promise])).trim();
}
