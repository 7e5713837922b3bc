/** Reads a password from a file or a pipe, or from the terminal without showing it; never from an option, which other users can read. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Call } from './command.ts';
import { CommandError, UsageError } from './usage.ts';

/** The option that names the file. */
export const passwordOption = new Option(
  '--password-file <FILE>',
  'read the password from this file; - is standard input; default: ask on the terminal',
);

/** The password of a call. Throws {@link UsageError} when there is neither a file nor a terminal. */
export async function readPassword({ options, terminal }: Call): Promise<string> {
  const path = options.passwordFile as string | undefined;
  if (path !== undefined)
    return firstLine(path === '-' ? await text(process.stdin) : await readPasswordFile(path));
  if (!process.stdin.isTTY)
    throw new UsageError(
      'no terminal to ask for a password; use --password-file FILE, or - for standard input',
    );
  const password = await ask('Password: ', terminal.stderr);
  if ((await ask('Once more: ', terminal.stderr)) !== password)
    throw new CommandError('the passwords do not match; nothing was changed');
  return password;
}

async function readPasswordFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read --password-file ${path}: ${(error as Error).message}`);
  }
}

/** A file that an editor wrote ends in a line break. */
function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0];
}

/** Asks on the terminal, which does not show what is typed. */
function ask(question: string, output: Call['terminal']['stderr']): Promise<string> {
  const { stdin } = process;
  output.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (outcome: () => void) => {
      stdin.off('data', onData).setRawMode(false).pause();
      output.write('\n');
      outcome();
    };
    const onData = (keys: string) => {
      for (const key of keys) {
        if (key === '\r' || key === '\n') return end(() => resolve(typed));
        if (key === '\u0003') return end(() => reject(new CommandError('interrupted; nothing was changed')));
        typed = key === '\u007f' || key === '\b' ? [...typed].slice(0, -1).join('') : typed + key;
      }
    };
    stdin.on('data', onData);
  });
}
