/** `tidemark config …`: prints and checks the configuration. */
import type { Call, CommandDefinition } from './command.ts';
import { type ConfigRow, limitRows, settingRows } from './config-rows.ts';
import { checkFirstPerson } from './first-person.ts';
import { printResult } from './result.ts';
import { checkDemo, checkExposure, checkTls, serveSettings } from './serve-settings.ts';
import { printTable } from './terminal.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'print',
    summary:
      'print every setting and limit with its value, default, origin, whether a reload applies it, and reason',
    settings: serveSettings,
    limits: true,
    action: print,
  },
  {
    usage: 'check',
    summary: 'check flags, environment and file; exit code 2 when something is wrong',
    settings: serveSettings,
    limits: true,
    action: check,
  },
];

async function print(call: Call): Promise<undefined> {
  const settings = settingRows(call.config);
  const limits = limitRows(call.config);
  const headings = ['name', 'value', 'default', 'origin', 'reload', 'reason'];
  const table = (rows: ConfigRow[]) => printTable(headings, rows.map(cellsOf));
  printResult(call, { settings, limits }, `${table(settings)}\n${table(limits)}`);
}

function cellsOf({ name, value, default: usual, origin, reload, reason }: ConfigRow): string[] {
  const taken = reload === null ? '-' : reload ? 'yes' : 'no';
  return [name, text(value), text(usual), origin, taken, reason];
}

function text(value: unknown): string {
  return value === null || String(value) === '' ? '-' : String(value);
}

/** Names and values have been checked already; these are the remaining checks of `serve`. */
async function check(call: Call): Promise<undefined> {
  checkExposure(call.config.settings);
  checkFirstPerson(call.config.settings);
  checkDemo(call.config.settings);
  await checkTls(call.config.settings);
  printResult(call, { ok: true }, 'the configuration is valid');
}
