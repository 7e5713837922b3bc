/** `tidemark usage`: the usage of integrations by day (L4). */
import { Option } from 'commander';
import { printDay, type Tally, tallied, type UsageRow } from '#model/usage';
import type { Call, CommandBody } from './command.ts';
import { withDomain } from './data-directory.ts';
import { numberOption } from './options.ts';
import { printResult } from './result.ts';
import { printTable } from './terminal.ts';

/** The command. */
export const definition: CommandBody = {
  options: [
    new Option('--integration <ID>', 'only of this integration'),
    numberOption('--days <N>', 'number of days, including today', 1, 36_500).default(30),
  ],
  notes: `Points are stored values; requests are calls; bytes are bodies after decompression; rejected are calls that exceeded a limit of
the plan; "... over" is what a soft plan allowed above its limit. A running service adds its counts about once a second.`,
  action: show,
};

async function show(call: Call): Promise<undefined> {
  const { days, integration = null } = call.options as { days: number; integration?: string };
  const rows = await withDomain(call, false, ({ usage }) => usage.list(integration, days));
  printResult(call, rows.map(viewOf), table(rows));
}

function viewOf({ integration, day, tally }: UsageRow) {
  return { day: printDay(day), integration, ...tally };
}

/** Columns of overage are shown only if there is any. */
function table(rows: readonly UsageRow[]): string {
  const shown = tallied.filter((name) => !isOverage(name) || rows.some(({ tally }) => tally[name] > 0));
  const headings = ['day', 'integration', ...shown.map(headingOf)];
  const cells = rows.map(({ day, integration, tally }) => [
    printDay(day),
    integration,
    ...shown.map((name) => String(tally[name])),
  ]);
  return printTable(headings, cells);
}

function isOverage(name: keyof Tally): boolean {
  return name.endsWith('Over');
}

function headingOf(name: keyof Tally): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
