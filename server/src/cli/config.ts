/** `tidemark config …`: what is configured, where it comes from, and whether it is right. */
import type { Command } from 'commander';
import type { Config } from '#config';
import { type Limits, limitTable } from '#model/limits';
import { type Setting, type SettingName, settingTable } from '#settings';
import { type Call, define, type Runner } from './command.ts';
import { checkExposure, checkTls, serveSettings } from './serve-settings.ts';
import { printJson, printTable } from './terminal.ts';

/** Adds the commands. */
export function defineConfig(root: Command, run: Runner): void {
  const group = root.command('config').summary('look at the configuration');
  define(group, run, {
    usage: 'print',
    summary: 'print every setting and limit with its value, default, origin and reason',
    settings: serveSettings,
    limits: true,
    action: print,
  });
  define(group, run, {
    usage: 'check',
    summary: 'check flags, environment and file; exit code 2 when something is wrong',
    settings: serveSettings,
    limits: true,
    action: check,
  });
}

/** One line of `config print`. */
interface Entry {
  name: string;
  value: unknown;
  default: unknown;
  origin: string;
  reason: string;
}

async function print({ config, terminal }: Call): Promise<undefined> {
  const settings = (Object.keys(settingTable) as SettingName[]).map((name) => settingEntry(config, name));
  const limits = Object.keys(limitTable).map((name) => limitEntry(config, name as keyof Limits));
  if (config.settings.json) {
    terminal.stdout.write(printJson({ settings, limits }));
    return;
  }
  const headings = ['name', 'value', 'default', 'origin', 'reason'];
  const rows = (entries: Entry[]) =>
    entries.map((entry) => [entry.name, text(entry.value), text(entry.default), entry.origin, entry.reason]);
  terminal.stdout.write(`${printTable(headings, rows(settings))}\n${printTable(headings, rows(limits))}`);
}

function settingEntry({ settings, origins }: Config, name: SettingName): Entry {
  const setting: Setting = settingTable[name];
  const origin = origins.get(name) ?? 'default';
  const value = setting.kind === 'secret' && settings[name] !== null ? '(hidden)' : settings[name];
  return { name, value, default: setting.default, origin, reason: setting.help };
}

function limitEntry({ limits, origins }: Config, name: keyof Limits): Entry {
  const { default: usual, unit, reason } = limitTable[name];
  const origin = origins.get(`limits.${name}`) ?? 'default';
  return {
    name: `limits.${name}`,
    value: limits[name],
    default: usual,
    origin,
    reason: `[${unit}] ${reason}`,
  };
}

function text(value: unknown): string {
  return value === null || String(value) === '' ? '-' : String(value);
}

/** Names and values were checked on the way here; what remains is what `serve` would refuse. */
async function check({ config, terminal }: Call): Promise<undefined> {
  checkExposure(config.settings);
  await checkTls(config.settings);
  terminal.stdout.write(config.settings.json ? printJson({ ok: true }) : 'the configuration is right\n');
}
