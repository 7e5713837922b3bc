/** The command line `tidemark`: runs one command and gives its exit code. */
import { Command, CommanderError } from 'commander';
import { AppError } from '#model/error';
import { type Action, type Call, configure, defineEntry, type Entry, type Runner } from './command.ts';
import { printJson, type Terminal } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';
import { version } from './version.ts';

/** In the order of the help. */
const entries: readonly Entry[] = [
  {
    usage: 'serve',
    summary: 'run the service',
    load: () => import('./serve.ts'),
  },
  {
    group: 'integration',
    summary: 'manage integrations: the clients of the service',
    load: () => import('./integration.ts'),
  },
  {
    group: 'credential',
    summary: 'manage the credentials of integrations',
    load: () => import('./credential.ts'),
  },
  {
    group: 'people',
    summary: 'manage the people who may sign in to the console',
    load: () => import('./people.ts'),
  },
  {
    group: 'plan',
    summary: 'manage plans: what integrations may use',
    load: () => import('./plan.ts'),
  },
  {
    usage: 'usage',
    summary: 'show the usage of integrations by UTC day',
    load: () => import('./usage-report.ts'),
  },
  {
    group: 'audit',
    summary: 'list administrative acts, and check that the list is complete',
    load: () => import('./audit.ts'),
  },
  {
    group: 'retention',
    summary: 'manage how long points are kept, and delete older ones',
    load: () => import('./retention.ts'),
  },
  {
    usage: 'backup <file>',
    summary: 'write all data to one file, with or without a running service',
    load: () => import('./backup.ts'),
  },
  {
    usage: 'restore <file>',
    summary: 'create a data directory from a backup',
    load: () => import('./restore.ts'),
  },
  {
    usage: 'check [file]',
    summary: 'check the data directory or a backup for damage; exit code 1 when there is some',
    load: () => import('./check.ts'),
  },
  {
    usage: 'stats',
    summary: 'show how much is stored: points, blocks, bytes per point, the log, the largest signals',
    load: () => import('./stats.ts'),
  },
  {
    group: 'import',
    summary: 'import recordings',
    load: () => import('./import.ts'),
  },
  {
    usage: 'publish',
    summary: 'publish the signals of an integration as items, with the metadata that they have',
    load: () => import('./publish.ts'),
  },
  {
    usage: 'call <method> [params]',
    summary: 'call a method of a running service, for example service.evaluate',
    load: () => import('./call.ts'),
  },
  {
    group: 'key',
    summary: 'manage the key that signs tokens',
    load: () => import('./key.ts'),
  },
  {
    usage: 'health',
    summary: 'check the health of the service on this machine; exit code 1 when it is not healthy',
    load: () => import('./health.ts'),
  },
  {
    group: 'config',
    summary: 'print and check the configuration',
    load: () => import('./config.ts'),
  },
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
    const root = await program(argv, terminal, runner);
    await root.parseAsync([...argv], { from: 'user' });
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

async function program(argv: readonly string[], terminal: Terminal, run: Runner): Promise<Command> {
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
  for (const entry of entries) await defineEntry(root, run, entry, argv);
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
