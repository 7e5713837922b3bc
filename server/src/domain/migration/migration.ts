/**
 * Copies a whole store into another one: what is there is compared, what differs is written, again and again until nothing differs.
 * So a copy that was interrupted goes on, and the end is the proof that both are equal.
 */
import type { Act } from '#model/act';
import { type Clock, clockMs, type Log } from '#model/environment';
import { conflict } from '#model/error';
import type { MetaRows, MetaStore, Transfer } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { record } from '../audit/record.ts';
import { copyPoints, type PointsCopied } from './points.ts';
import { copyRows, type RowsCopied, raiseNumbers } from './rows.ts';

/** Comparisons after the first one; where the last of them still finds differences, something changes one of the stores. */
const comparisonsMax = 3;

/** A place is noted at most so often, ms. */
const noteMs = 2_000;

/** A store with access to all of it. */
export interface WholeStore {
  meta: MetaStore;
  rows: MetaRows;
  series: SeriesStore;
}

/** What is going on. */
export interface MigrationProgress {
  /** A new phase begins, in words, with so many points to come; 0: it has none. */
  phase(text: string, points: number): void;
  /** Points that were compared, and written where needed. */
  points(count: number): void;
}

/** What {@link migrate} needs. */
export interface MigrationOptions {
  source: WholeStore;
  target: WholeStore;
  /** The source in words, by which an interrupted copy recognises it. */
  name: string;
  /** Whether the source is in use: then only points are copied, and the copy stays unfinished. */
  isInUse: boolean;
  clock: Clock;
  log: Log;
  progress: MigrationProgress;
  /** Fails when nodes may have started. */
  require(): void;
}

/** What was copied, now and by earlier calls. */
export interface Migrated {
  signals: number;
  points: number;
  rows: number;
  /** Signals with points that the metadata does not know, because they were deleted: these are not copied. */
  deletedSignals: number;
  isFinished: boolean;
}

/** Fails with `conflict` when the target is not empty, or a copy of another source, or a complete one. */
export async function requireTarget({ rows, series }: WholeStore, name: string): Promise<Transfer | null> {
  const transfer = await rows.transfer();
  if (transfer === null) {
    await requireEmpty(rows, series);
    return null;
  }
  if (transfer.finishedAtMs !== null)
    throw conflict(
      `the target has the complete data of ${transfer.source} since ${new Date(transfer.finishedAtMs).toISOString()}: start the service on it, or empty it to copy again`,
    );
  if (transfer.source !== name)
    throw conflict(
      `the target has an unfinished copy of ${transfer.source}, not of ${name}: name that source, or empty the target`,
    );
  return transfer;
}

/** Tables whose rows are data that would be missed. */
const ownTables = ['integration', 'signal', 'item', 'person', 'audit'];

async function requireEmpty(rows: MetaRows, series: SeriesStore): Promise<void> {
  for (const table of rows.tables.filter(({ name }) => ownTables.includes(name))) {
    const count = await rows.count(table);
    if (count > 0)
      throw conflict(
        `the target is not empty: ${count} rows of the table ${table.name}; name an empty target`,
      );
  }
  const stored = await series.storedSignals();
  if (stored.length > 0)
    throw conflict(`the target is not empty: points of ${stored.length} signals; name an empty target`);
}

/** Copies everything. Fails with `conflict` as {@link requireTarget} does, and when the stores do not become equal. */
export async function migrate(options: MigrationOptions): Promise<Migrated> {
  const { target, name, clock, isInUse } = options;
  const known = await requireTarget(target, name);
  const transfer = known ?? { source: name, startedAtMs: clockMs(clock), doneSignal: 0, finishedAtMs: null };
  await target.rows.saveTransfer(transfer);
  const first = await pass(options, transfer, 'copying', transfer.doneSignal);
  // What was changed in a source that is in use is found by the comparison of the next call.
  await target.rows.saveTransfer({ ...transfer, doneSignal: 0 });
  if (isInUse) return { ...first, isFinished: false };
  await raiseNumbers(options.source.rows, target.rows);
  for (let i = 0; i < comparisonsMax; i++) {
    const found = await pass(options, { ...transfer, doneSignal: 0 }, 'comparing', 0);
    if (found.changed === 0) return { ...found, isFinished: true };
  }
  throw conflict(
    'the target still differs from the source: something changes one of them while they are compared',
  );
}

/**
 * Notes in the target's audit (L4a) and then that the copy is complete; from now on the target can be used. What is interrupted
 * between the two is undone by the next call, to whose source the row of the audit is unknown.
 */
export async function finish(
  { target, clock, name, require }: MigrationOptions,
  act: Act,
  { signals, points, rows }: Migrated,
): Promise<void> {
  const transfer = await target.rows.transfer();
  if (transfer === null) throw conflict('the target was emptied while it was filled');
  const change = { from: name, signals, points, rows };
  await target.meta.write((tx) =>
    record(tx, act, clock, { action: 'store.migrate', target: 'store', change }),
  );
  require();
  await target.rows.saveTransfer({ ...transfer, finishedAtMs: clockMs(clock) });
}

type Passed = Omit<Migrated, 'isFinished'> & { changed: number };

/** Looks at everything once. */
async function pass(
  options: MigrationOptions,
  transfer: Transfer,
  verb: string,
  after: number,
): Promise<Passed> {
  const { source, target, progress, isInUse } = options;
  const signals = (await source.meta.signals.owners()).map(({ number }) => number);
  const deleted = await removeUnknown(options, signals);
  const copied = await copySignals(
    options,
    transfer,
    verb,
    signals.filter((number) => number > after),
  );
  const rows: RowsCopied = { rows: 0, changed: 0 };
  if (!isInUse) {
    progress.phase(`${verb} the metadata`, 0);
    Object.assign(rows, await copyRows(source.rows, target.rows, () => options.require()));
  }
  return {
    ...{ signals: signals.length, points: copied.points, rows: rows.rows, deletedSignals: deleted.source },
    changed: copied.changed + rows.changed + deleted.target,
  };
}

async function copySignals(
  options: MigrationOptions,
  transfer: Transfer,
  verb: string,
  signals: readonly number[],
): Promise<PointsCopied> {
  const { source, target, progress, log } = options;
  const sizes = await source.series.sizes(signals);
  progress.phase(
    `${verb} points`,
    sizes.reduce((sum, { points }) => sum + points, 0),
  );
  let notedMs = clockMs(options.clock);
  return copyPoints(signals, {
    ...{ source: source.series, target: target.series, log },
    onPoints: (count) => progress.points(count),
    onDone: async (doneSignal) => {
      options.require();
      if (clockMs(options.clock) - notedMs < noteMs) return;
      notedMs = clockMs(options.clock);
      await target.rows.saveTransfer({ ...transfer, doneSignal });
    },
  });
}

/** Deletes the target's points of signals that the source does not know; how many signals each has of these. */
async function removeUnknown(
  { source, target }: MigrationOptions,
  signals: readonly number[],
): Promise<{ source: number; target: number }> {
  const known = new Set(signals);
  const unknownIn = async (series: SeriesStore) =>
    (await series.storedSignals()).filter((number) => !known.has(number));
  const [unused, surplus] = await Promise.all([unknownIn(source.series), unknownIn(target.series)]);
  if (surplus.length > 0) await target.series.deleteSignals(surplus);
  return { source: unused.length, target: surplus.length };
}
