/** The command line `tidemark`: runs one command and gives its exit code. */
import { Command, CommanderError } from 'commander';
import { AppError } from '#model/error';
import { defineAudit } from './audit.ts';
import { defineBackup } from './backup.ts';
import { defineCall } from './call.ts';
import { defineCheck } from './check.ts';
import { type Action, type Call, configure, type Runner } from './command.ts';
import { defineConfig } from './config.ts';
import { defineCredential } from './credential.ts';
import { defineHealth } from './health.ts';
import { defineImport } from './import.ts';
import { defineIntegration } from './integration.ts';
import { defineKey } from './key.ts';
import { definePeople } from './people.ts';
import { definePlan } from './plan.ts';
import { definePublish } from './publish.ts';
import { defineRetention } from './retention.ts';
import { defineServe } from './serve.ts';
import { defineStats } from './stats.ts';
import { printJson, type Terminal } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';
import { defineUsage } from './usage-report.ts';
import { version } from './version.ts';

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
  defineServe(root, run);
  defineIntegration(root, run);
  defineCredential(root, run);
  definePeople(root, run);
  definePlan(root, run);
  defineUsage(root, run);
  defineAudit(root, run);
  defineRetention(root, run);
  defineBackup(root, run);
  defineCheck(root, run);
  defineStats(root, run);
  defineImport(root, run);
  definePublish(root, run);
  defineCall(root, run);
  defineKey(root, run);
  defineHealth(root, run);
  defineConfig(root, run);
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

/** One line; the stack only where our own code is to blame. */
function messageOf(error: unknown): string {
  if (error instanceof CommanderError) return error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  if (error instanceof AppError) {
    const problems = Object.entries(error.params ?? {}).map(
      ([path, texts]) => `${path}: ${texts.join(', ')}`,
    );
    return [error.message, ...problems].join('; ');
  }
  if (!(error instanceof Error)) return String(error);
  const isOurs =
    error.message.startsWith('BUG: ') || error instanceof TypeError || error instanceof RangeError;
  return isOurs ? (error.stack ?? error.message) : error.message;
}
