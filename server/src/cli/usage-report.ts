/** `tidemark usage`: what integrations did, day by day (L4). */
import { type Command, Option } from 'commander';
import { printDay, type Tally, tallied, type UsageRow } from '#model/usage';
import { type Call, define, type Runner } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** Adds the command. */
export function defineUsage(root: Command, run: Runner): void {
  const command = define(root, run, {
    usage: 'usage',
    summary: 'show what integrations did in each UTC day',
    settings: ['data'],
    options: [
      new Option('--integration <ID>', 'of one integration only'),
      new Option('--days <N>', 'so many days, today included').default('30'),
    ],
    action: show,
  });
  command.addHelpText('after', notes);
}

const notes = `
Points are values that were stored; requests are calls; bytes are bodies after decompression; rejected are calls that a
limit of the plan refused; "... over" is what a soft plan allowed above its limit. A running service adds its counts about
once a second.`;

async function show({ config, options, terminal, ...call }: Call): Promise<undefined> {
  const days = readDays(options.days);
  const integration = (options.integration as string | undefined) ?? null;
  const rows = await withDomain({ config, terminal, ...call }, false, ({ usage }) =>
    usage.list(integration, days),
  );
  terminal.stdout.write(config.settings.json ? printJson(rows.map(viewOf)) : table(rows));
}

function readDays(text: unknown): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
  throw new UsageError(`--days must be a whole number from 1 to 36500, got ${JSON.stringify(text)}`);
}

function viewOf({ integration, day, tally }: UsageRow) {
  return { day: printDay(day), integration, ...tally };
}

/** Overage has columns where there is any. */
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
