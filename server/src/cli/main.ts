/** The command line `tidemark`: runs one command and gives its exit code. */
import { Command, CommanderError } from 'commander';
import { AppError } from '#model/error';
import { countBuffersWithHeap, keepNumbersApart } from '#threads/v8-settings';
import { type Action, type Call, command, configure, defineEntry, group, type Runner } from './command.ts';
import { printJson, type Terminal } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';
import { version } from './version.ts';

/** In the order of the help. */
const entries = [
  command('serve', 'run the service', () => import('./serve.ts')),
  group('integration', 'manage integrations: the clients of the service', () => import('./integration.ts')),
  group('credential', 'manage the credentials of integrations', () => import('./credential.ts')),
  group('people', 'manage the people who may sign in to the console', () => import('./people.ts')),
  group('plan', 'manage plans: what integrations may use', () => import('./plan.ts')),
  command('usage', 'show the usage of integrations by UTC day', () => import('./usage-report.ts')),
  group('audit', 'list administrative acts, and check that the list is complete', () => import('./audit.ts')),
  group(
    'retention',
    'manage how long points are kept, and delete older ones',
    () => import('./retention.ts'),
  ),
  command(
    'backup <file>',
    'write all data to one file, with or without a running service',
    () => import('./backup.ts'),
  ),
  command('restore <file>', 'create a data directory from a backup', () => import('./restore.ts')),
  command(
    'check [file]',
    'check the data directory or a backup for damage; exit code 1 when there is some',
    () => import('./check.ts'),
  ),
  command(
    'stats',
    'show how much is stored: points, blocks, bytes per point, the log, the largest signals',
    () => import('./stats.ts'),
  ),
  command(
    'export',
    'write items, signals or everything to a file: CSV, JSON lines or Parquet',
    () => import('./export.ts'),
  ),
  command(
    'check-stores',
    'check the PostgreSQL and the ClickHouse that several nodes share; exit code 1 when something is wrong',
    () => import('./check-stores.ts'),
  ),
  command(
    'migrate',
    'copy a data directory to PostgreSQL and ClickHouse, or back, and compare both',
    () => import('./migrate.ts'),
  ),
  group(
    'schema',
    'print the statements that make the tables in PostgreSQL and ClickHouse',
    () => import('./schema.ts'),
  ),
  group('import', 'import recordings', () => import('./import.ts')),
  command(
    'publish',
    'publish the signals of an integration as items, with the metadata that they have',
    () => import('./publish.ts'),
  ),
  group(
    'calculated',
    'manage calculated items, which are formulas over other items',
    () => import('./calculated.ts'),
  ),
  group('rule', 'manage publishing rules, by which signals become items', () => import('./rule.ts')),
  command(
    'call <method> [params]',
    'call a method of a running service, for example service.evaluate',
    () => import('./call.ts'),
  ),
  command(
    'mcp',
    'let language models read a running service: the Model Context Protocol',
    () => import('./mcp.ts'),
  ),
  group('key', 'manage the key that signs tokens', () => import('./key.ts')),
  command(
    'health',
    'check the health of the service on this machine; exit code 1 when it is not healthy',
    () => import('./health.ts'),
  ),
  group('config', 'print and check the configuration', () => import('./config.ts')),
];

const closing = `
An option with "env:" can also be set by that environment variable, or by its name in camelCase in the configuration file;
the command line takes precedence over the environment, and the environment over the file. Other options apply to a single
call only. Exit codes: 0 success, 1 failure, 2 incorrect usage.`;

/** Runs the command that `argv` (without node and script) names, to its end; the exit code. */
export async function run(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  keepNumbersApart();
  countBuffersWithHeap();
  let exitCode: number = exitCodes.ok;
  const runner: Runner = async (action, command, args) => {
    exitCode = (await runAction(action, command, args, terminal)) ?? exitCodes.ok;
  };
  try {
    const words = withHelpLast(argv);
    const root = await program(words, terminal, runner);
    await root.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(error, argv.includes('--json'), terminal);
  }
}

/** `help import csv` → `import csv --help`: commander's own command knows only the first name. */
function withHelpLast(argv: readonly string[]): string[] {
  return argv[0] === 'help' && argv.length > 2 ? [...argv.slice(1), '--help'] : [...argv];
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
