/** How every command is defined: its flags from the table of settings, one way to run, one way to fail. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { type Config, ConfigError, envOf, flagOf, resolveConfig, secretFileOf } from '#config';
import { bug } from '#model/error';
import { type Setting, type SettingName, settingTable, storeSettings } from '#settings';
import { collect } from './options.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

/** One run of a command. */
export interface Call {
  config: Config;
  /** Options that are not settings, by camelCase name. */
  options: Readonly<Record<string, unknown>>;
  /** Positional arguments in order. */
  args: readonly (string | readonly string[])[];
  terminal: Terminal;
}

/** Carries a command out; the exit code, 0 when there is none. */
export type Action = (call: Call) => Promise<number | undefined>;

/** What a command takes and does. */
export interface CommandBody {
  /** Text after the options in its help. */
  notes?: string;
  /** Settings that are options of the command, besides `json`. Default: where everything is stored. */
  settings?: readonly SettingName[];
  /** Options of a single call, which neither the environment nor the file can set. */
  options?: readonly Option[];
  /** Whether it takes `--limit`. */
  limits?: boolean;
  action: Action;
}

/** A command of a group. */
export interface CommandDefinition extends CommandBody {
  /** With its arguments, for example `create <name>`. */
  usage: string;
  summary: string;
}

/** A command or a group of commands in the list of all. Its module has the rest, and is loaded when it is called. */
export interface Entry {
  usage: string;
  summary: string;
  load(): Promise<{ definition: CommandBody | readonly CommandDefinition[] }>;
  /** What is in the place of the definition before that. */
  notLoaded: CommandBody | readonly CommandDefinition[];
}

/** An entry for a command. */
export function command(usage: string, summary: string, load: Entry['load']): Entry {
  const action = () => bug('a command was called that had not been loaded');
  return { usage, summary, load, notLoaded: { action } };
}

/** An entry for a group of commands. */
export function group(usage: string, summary: string, load: Entry['load']): Entry {
  return { usage, summary, load, notLoaded: [] };
}

/** Runs an action when its command was called. */
export type Runner = (action: Action, command: Command, args: Call['args']) => Promise<void>;

/**
 * Adds a command or a group of commands to the program. Only those that `argv` names are loaded, which keeps the start of a
 * command short; the others appear in the list of commands.
 */
export async function defineEntry(
  root: Command,
  run: Runner,
  { usage, summary, load, notLoaded }: Entry,
  argv: readonly string[],
): Promise<void> {
  const isNamed = argv.includes(usage.split(' ')[0]);
  const definition = isNamed ? (await load()).definition : notLoaded;
  if ('action' in definition) return define(root, run, { usage, summary, ...definition });
  const parent = root.command(usage).summary(summary);
  for (const each of definition) define(parent, run, each);
}

function define(parent: Command, run: Runner, definition: CommandDefinition): void {
  const { usage, summary, notes, settings = storeSettings, options = [], limits, action } = definition;
  const command = parent.command(usage).summary(summary).description(summary);
  for (const name of settings) for (const option of settingOptions(name)) command.addOption(option);
  for (const option of options) command.addOption(option);
  if (limits) command.addOption(limitOption());
  command.addOption(settingOption('json'));
  command.addOption(new Option('--config <FILE>', 'configuration file, JSON (env: TIDEMARK_CONFIG)'));
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  command.action((...parameters: unknown[]) => run(action, command, parameters.slice(0, -2) as Call['args']));
}

/** The flags of a setting: an address may also be in a file. */
function settingOptions(name: SettingName): Option[] {
  if (settingTable[name].kind !== 'address') return [settingOption(name)];
  const inFile = `file with the value of ${flagOf(name)}, which lists of processes do not show`;
  const fileName = secretFileOf(name);
  return [
    settingOption(name),
    new Option(`${flagOf(fileName)} <FILE>`, `${inFile} (env: ${envOf(fileName)})`),
  ];
}

/** The flag of a setting. Defaults are text only: an absent flag stays absent, for environment and file to decide. */
function settingOption(name: SettingName): Option {
  const setting: Setting = settingTable[name];
  const value =
    'placeholder' in setting ? ` <${setting.placeholder}>` : setting.kind === 'choice' ? ' <WORD>' : '';
  // A secret on the command line would be in every list of processes.
  const flag = setting.kind === 'secret' ? flagOf(secretFileOf(name)) : flagOf(name);
  return new Option(flag + value, `${setting.help} (${notes(name, setting).join(', ')})`);
}

function notes(name: SettingName, setting: Setting): string[] {
  const words = setting.kind === 'choice' ? [setting.choices.join(' | ')] : [];
  const silent = setting.kind === 'switch' || setting.default === null || String(setting.default) === '';
  if (!silent) words.push(`default: ${setting.default}`);
  if (setting.kind === 'secret') words.push(`a file; env: ${envOf(name)} or ${envOf(secretFileOf(name))}`);
  else words.push(`env: ${envOf(name)}`);
  return words;
}

function limitOption(): Option {
  return new Option(
    '--limit <NAME=VALUE>',
    'change a limit, may be repeated; "tidemark config print" lists them (env: TIDEMARK_LIMIT_NAME)',
  ).argParser(collect);
}

/** The configuration of a call: flags of the command line, environment, and the file that either names. */
export async function configure(
  options: Readonly<Record<string, unknown>>,
  env: Terminal['env'],
): Promise<Config> {
  const path = (options.config as string | undefined) ?? (env.TIDEMARK_CONFIG || undefined);
  const file = path === undefined ? null : { path, content: await readConfigFile(path) };
  try {
    return resolveConfig({ flags: options, env, file, readSecret: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

async function readConfigFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The message of JSON.parse quotes the file, which may have secrets.
    const place = / at position \d+( \(line \d+ column \d+\))/.exec(message)?.[1] ?? '';
    const isSyntax = error instanceof SyntaxError;
    const reason = isSyntax ? `not valid JSON${place}` : code === 'ENOENT' ? 'no such file' : message;
    throw new UsageError(`cannot read the configuration file ${path}: ${reason}`);
  }
}
