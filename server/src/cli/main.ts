/** The command line `tidemark`: runs one command and gives its exit code. */
import { Command, CommanderError } from 'commander';
import { AppError } from '#model/error';
import { auditCommands } from './audit.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { callCommand } from './call.ts';
import { checkCommand } from './check.ts';
import { type Action, type Call, configure, define, type Runner } from './command.ts';
import { configCommands } from './config.ts';
import { credentialCommands } from './credential.ts';
import { healthCommand } from './health.ts';
import { importCommands } from './import.ts';
import { integrationCommands } from './integration.ts';
import { keyCommands } from './key.ts';
import { peopleCommands } from './people.ts';
import { planCommands } from './plan.ts';
import { publishCommand } from './publish.ts';
import { retentionCommands } from './retention.ts';
import { serveCommand } from './serve.ts';
import { statsCommand } from './stats.ts';
import { printJson, type Terminal } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';
import { usageCommand } from './usage-report.ts';
import { version } from './version.ts';

const commands = [
  serveCommand,
  integrationCommands,
  credentialCommands,
  peopleCommands,
  planCommands,
  usageCommand,
  auditCommands,
  retentionCommands,
  backupCommand,
  restoreCommand,
  checkCommand,
  statsCommand,
  importCommands,
  publishCommand,
  callCommand,
  keyCommands,
  healthCommand,
  configCommands,
];

const closing = `
An option with "env:" can also be set by that environment variable, or by its name in camelCase in the configuration file;
the command line takes precedence over the environment, and the environment over the file. Other options apply to a single
call only. Exit codes: 0 success, 1 failure, 2 incorrect usage.`;

/** Runs the command that `argv` (without node and script) names, to its end; the exit code. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const runner: Runner = async (action, command, args) => {
    exitCode = (await runAction(action, command, args, terminal)) ?? exitCodes.ok;
  };
  try {
    await program(terminal, runner).parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(error, argv.includes('--json'), terminal);
  }
}

async function runAction(action: Action, command: Command, args: Call['args'], terminal: Terminal) {
  const options = command.opts();
  const config = await configure(options, terminal.env);
  return action({ config, options, args, terminal });
}

function processTerminal(): Terminal {
  // An output that is closed, as in `tidemark … | head -1`, is no failure of the command.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return { env: process.env, stdout: process.stdout, stderr: process.stderr };
}

function program(terminal: Terminal, run: Runner): Command {
  const root = new Command('tidemark')
    .description('Tidemark, a self-hosted time-series signal service.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('afterAll', closing)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: () => {}, // fail() prints it, like every other error.
    });
  for (const command of commands) define(root, run, command);
  return root;
}

/** Prints an error in one line; the exit code. */
function fail(error: unknown, json: boolean, terminal: Terminal): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  const isArgument = error instanceof AppError && error.kind === 'invalid-params';
  const isUsage = isArgument || error instanceof UsageError || error instanceof CommanderError;
  const message = messageOf(error);
  // The help of a command without its subcommand has been written already.
  if (!(error instanceof CommanderError && error.code === 'commander.help')) {
    terminal.stderr.write(json ? printJson({ error: { message } }) : `tidemark: ${message}\n`);
  }
  return isUsage ? exitCodes.usage : exitCodes.failed;
}

/** One line; for a defect of the program its stack. */
function messageOf(error: unknown): string {
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  if (error instanceof AppError) {
    const problems = Object.entries(error.params ?? {}).map(
      ([path, texts]) => `${path}: ${texts.join(', ')}`,
    );
    return [error.message, ...problems].join('; ');
  }
  if (!(error instanceof Error)) return String(error);
  const isDefect =
    error.message.startsWith('BUG: ') || error instanceof TypeError || error instanceof RangeError;
  return isDefect ? (error.stack ?? error.message) : error.message;
}
