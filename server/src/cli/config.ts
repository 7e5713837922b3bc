/** `tidemark config …`: what is configured, where it comes from, and whether it is right. */
import type { Command } from 'commander';
import { type Call, define, type Runner } from './command.ts';
import { type ConfigRow, limitRows, settingRows } from './config-rows.ts';
import { checkFirstPerson } from './first-person.ts';
import { checkExposure, checkTls, serveSettings } from './serve-settings.ts';
import { printJson, printTable } from './terminal.ts';

/** Adds the commands. */
export function defineConfig(root: Command, run: Runner): void {
  const group = root.command('config').summary('look at the configuration');
  define(group, run, {
    usage: 'print',
    summary:
      'print every setting and limit with its value, default, origin, whether a reload takes it, and reason',
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

async function print({ config, terminal }: Call): Promise<undefined> {
  const settings = settingRows(config);
  const limits = limitRows(config);
  if (config.settings.json) {
    terminal.stdout.write(printJson({ settings, limits }));
    return;
  }
  const headings = ['name', 'value', 'default', 'origin', 'reload', 'reason'];
  const rows = (entries: ConfigRow[]) => entries.map(cellsOf);
  terminal.stdout.write(`${printTable(headings, rows(settings))}\n${printTable(headings, rows(limits))}`);
}

function cellsOf({ name, value, default: usual, origin, reload, reason }: ConfigRow): string[] {
  const taken = reload === null ? '-' : reload ? 'yes' : 'no';
  return [name, text(value), text(usual), origin, taken, reason];
}

function text(value: unknown): string {
  return value === null || String(value) === '' ? '-' : String(value);
}

/** Names and values were checked on the way here; what remains is what `serve` would refuse. */
async function check({ config, terminal }: Call): Promise<undefined> {
  checkExposure(config.settings);
  checkFirstPerson(config.settings);
  await checkTls(config.settings);
  terminal.stdout.write(config.settings.json ? printJson({ ok: true }) : 'the configuration is right\n');
}
