/** `tidemark migrate`: copies a data directory to PostgreSQL and ClickHouse, or back, and proves that both are equal. */
import { Option } from 'commander';
import { finish, type Migrated, migrate, requireTarget } from '#domain/migration/migration';
import { systemClock } from '#system-environment';
import { openTextLog } from '#text-log';
import { cliAct } from './act.ts';
import { requireCluster, serverSettings } from './check-stores.ts';
import { passwordWarning } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { MigrationReport } from './migration-report.ts';
import { type OpenedStore, openCopied, openTarget, type Place, targetExists } from './migration-stores.ts';
import { printResult } from './result.ts';
import { printCount } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';

/** The command. */
export const definition: CommandBody = {
  settings: serverSettings,
  options: [
    new Option('--from <DIR>', 'copy this data directory to the servers'),
    new Option('--to <DIR>', 'copy what the servers have to this data directory, which is made'),
    new Option(
      '--while-serving',
      'copy only points, while the source is in use; run the command again without it when it has stopped',
    ),
    new Option('--dry-run', 'look at both, and change nothing'),
  ],
  notes: `Copies everything with its IDs: metadata, the audit, credentials, sessions, and the points of each signal. The source must not
be served meanwhile, and is not changed. An interrupted copy goes on when the command is called again; until it is complete, no
service starts on the target. At the end all points and rows of both are compared, bit by bit.`,
  action: run,
};

async function run(call: Call): Promise<number> {
  const { config, options, terminal } = call;
  const { source, target } = placesOf(call);
  const isInUse = options.whileServing === true;
  const log = openTextLog({ level: 'warn', stream: terminal.stderr });
  const warning = passwordWarning(config);
  if (warning !== null) log.warn(warning);
  const opening = { limits: config.limits, log };
  await using from = await openCopied(source, { ...opening, isInUse: isInUse || options.dryRun === true });
  if (options.dryRun === true) return await look(call, from, target);
  await using to = await openTarget(target, opening);
  const progress = new MigrationReport(terminal.stderr);
  const require = () => {
    from.require();
    to.require();
  };
  const copy = {
    source: from,
    target: to,
    name: source.name,
    isInUse,
    clock: systemClock,
    log,
    progress,
    require,
  };
  try {
    const migrated = await migrate(copy);
    if (migrated.isFinished) {
      await finish(copy, cliAct(), migrated);
    }
    progress.end();
    report(call, migrated, { source, target, seconds: progress.elapsedS });
    return exitCodes.ok;
  } finally {
    progress.end();
  }
}

/** Which of the two is the directory. Throws {@link UsageError}. */
function placesOf(call: Call): { source: Place; target: Place } {
  const { from, to } = call.options as { from?: string; to?: string };
  const cluster = requireCluster(call);
  if ((from === undefined) === (to === undefined))
    throw new UsageError(
      'say --from DIR to copy a data directory to the servers, or --to DIR to copy it back',
    );
  const servers: Place = { cluster, name: namesOf(cluster.metaUrl) };
  const directory = (path: string): Place => ({ directory: path, name: `the data directory ${path}` });
  return from === undefined
    ? { source: servers, target: directory(String(to)) }
    : { source: directory(from), target: servers };
}

/** The place of the metadata, without a password. */
function namesOf(metaUrl: string): string {
  const { host, pathname } = new URL(metaUrl.split(',')[0]);
  return `PostgreSQL ${host}${pathname}`;
}

/** What a copy would be of. */
async function look(call: Call, from: OpenedStore, target: Place): Promise<number> {
  const signals = (await from.meta.signals.owners()).map(({ number }) => number);
  const sizes = await from.series.sizes(signals);
  const points = sizes.reduce((sum, each) => sum + each.points, 0);
  let rows = 0;
  for (const table of from.rows.tables) rows += await from.rows.count(table);
  const exists = await targetExists(target, call);
  if (exists) {
    await using to = await openTarget(target, {
      limits: call.config.limits,
      log: openTextLog({ level: 'warn', stream: call.terminal.stderr }),
      isLooking: true,
    });
    await requireTarget(to, from.name);
  }
  const state = exists ? 'can be filled' : 'is empty and will be made';
  const text = `would copy ${countsOf({ signals: signals.length, points, rows })} from ${from.name}; ${target.name} ${state}. Nothing was changed`;
  printResult(call, { dryRun: true, signals: signals.length, points, rows, targetExists: exists }, text);
  return exitCodes.ok;
}

function countsOf({ signals, points, rows }: { signals: number; points: number; rows: number }): string {
  return `${printCount(points, 'point')} of ${printCount(signals, 'signal')} and ${printCount(rows, 'row')} of metadata`;
}

interface Places {
  source: Place;
  target: Place;
  seconds: number;
}

function report(call: Call, migrated: Migrated, { source, target, seconds }: Places): void {
  const rounded = Math.round(seconds * 10) / 10;
  const result = { from: source.name, to: target.name, ...migrated, seconds: rounded };
  printResult(call, result, migrated.isFinished ? finishedText() : unfinishedText());

  function finishedText(): string {
    const left =
      migrated.deletedSignals === 0
        ? []
        : [`points of ${printCount(migrated.deletedSignals, 'deleted signal')} were left out`];
    return [
      `copied ${source.name} to ${target.name} in ${rounded} s`,
      `compared bit by bit, all equal: ${countsOf(migrated)}`,
      ...left,
      `${source.name} is unchanged: start the service on the other one only, and keep this one until you are sure`,
    ].join('\n');
  }

  function unfinishedText(): string {
    return `copied ${printCount(migrated.points, 'point')} in ${rounded} s while ${source.name} was in use
stop its service, and run the command again without --while-serving: it copies the rest, and compares all`;
  }
}
