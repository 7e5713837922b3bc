/** Raw points and rollups of sources, from the runs that the servers send. */
import { AppError } from '#model/error';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import { type Rollup, RollupBuilder } from '#model/rollup';
import type { Window } from '#model/window';
import type { RollupRequest, RollupSource, ScanRequest, ScanSource } from '../store.ts';
import { nearestAfter, nearestBefore } from './edges.ts';
import { isPushedDown, pushDown } from './rollup-pushdown.ts';
import type { RowShape } from './row-cache.ts';
import type { RunReader, RunRequest, TakeRun } from './runs.ts';
import { joinPieces, noPoints, unite } from './union.ts';

/** What is read of a source: a source of a scan, or of a rollup with the points that its states need. */
type Wanted = ScanSource;

/** Sources of the same window, which are read together. */
interface Group {
  window: Window;
  before: boolean;
  after: boolean;
  signals: number[];
}

/** The points of each source. Fails with `invalid-params` where there are more than `valuesMax`. */
export async function scanSources(
  reader: RunReader,
  { sources, valuesMax = Infinity }: ScanRequest,
): Promise<Points[]> {
  const widest = sources.reduce((max, { signals }) => Math.max(max, signals.length), 1);
  const rowsMax = valuesMax * widest;
  const kept = new Map<string, Points[]>();
  let count = 0;
  for (const group of groupsOf(sources)) {
    const name = nameOf(group);
    const inside = (take: TakeRun) => {
      let more = count;
      return rememberedPoints(reader, { ...group, rowsMax: rowsMax + 1 }, take, (rows) => {
        more += rows;
        if (more > rowsMax) throw tooMany(valuesMax);
      });
    };
    await readGroup(reader, group, inside, (signal, points) => {
      count += points.timesUs.length;
      if (count > rowsMax) throw tooMany(valuesMax);
      const key = `${name} ${signal}`;
      const pieces = kept.get(key);
      if (pieces === undefined) kept.set(key, [points]);
      else pieces.push(points);
    });
  }
  const found = sources.map((source) => {
    const piecesOf = (signal: number) => kept.get(`${nameOf(source)} ${signal}`) ?? [];
    return combine(source, piecesOf);
  });
  if (found.reduce((sum, { timesUs }) => sum + timesUs.length, 0) > valuesMax) throw tooMany(valuesMax);
  return found;
}

/** Rows of points: each time may be the first of a range. */
const pointRows: RowShape = {
  name: 'points',
  columnCount: 2,
  edgeBefore: (us) => us,
  edgeAfter: (us) => us,
};

/** The points inside a window, as {@link RunReader.remembered} gives them. `count` is called with the rows that are read. */
async function rememberedPoints(
  reader: RunReader,
  { signals, window, rowsMax }: RunRequest,
  take: TakeRun,
  count: (rows: number) => void,
): Promise<void> {
  const found = await reader.remembered(pointRows, { signals, window }, (some, gap, takeRows) =>
    reader.inside({ signals: some, window: gap, rowsMax }, (signal, { timesUs, values }) => {
      count(timesUs.length);
      takeRows(signal, [timesUs, values]);
    }),
  );
  for (const [signal, [timesUs, values]] of found) take(signal, { timesUs, values });
}

function tooMany(valuesMax: number): AppError {
  return new AppError('invalid-params', `more than ${valuesMax} points: choose a shorter window or a rollup`);
}

/** The rollups of each source: by the servers where these are certain to give the same, else from the points, here. */
export async function rollUpSources(reader: RunReader, request: RollupRequest): Promise<Rollup[]> {
  const { sources } = request;
  const pushed = await pushDown(reader, { ...request, sources: sources.filter(isPushedDown) });
  const answers = pushed.values();
  const known = sources.map((source) => (isPushedDown(source) ? (answers.next().value ?? null) : null));
  const rest = sources.filter((_, i) => known[i] === null);
  const computed = (await rollUpPoints(reader, { ...request, sources: rest })).values();
  return known.flatMap((rollup) => rollup ?? computed.next().value ?? []);
}

/** Points of sources of one signal are not kept. */
async function rollUpPoints(reader: RunReader, request: RollupRequest): Promise<Rollup[]> {
  const { sources, buckets, nowUs, valuesMax = Infinity } = request;
  const feeds = sources.map((source) => new Feed(source, new RollupBuilder(source, buckets, valuesMax)));
  for (const group of groupsOf(feeds.map(({ wanted }) => wanted))) {
    const takers = takersOf(feeds.filter(({ wanted }) => nameOf(wanted) === nameOf(group)));
    await readGroup(
      reader,
      group,
      (take) => reader.inside(group, take),
      (signal, points) => {
        for (const feed of takers.get(signal) ?? []) feed.take(signal, points);
      },
    );
  }
  const rollups: Rollup[] = [];
  for (const feed of feeds) rollups.push(await feed.finish(reader, nowUs));
  return rollups;
}

/** One source of a rollup, and what computes it. */
class Feed {
  readonly wanted: Wanted;
  readonly #builder: RollupBuilder;
  /** Of several signals the points are kept until all have come. */
  readonly #pieces: Map<number, Points[]> | null;

  constructor({ signals, window, states }: RollupSource, builder: RollupBuilder) {
    const hasStates = states.length > 0;
    this.wanted = { signals, window, before: hasStates, after: hasStates };
    this.#builder = builder;
    this.#pieces = signals.length === 1 ? null : new Map(signals.map((signal) => [signal, []]));
  }

  take(signal: number, points: Points): void {
    if (this.#pieces === null) this.#builder.add(points);
    else this.#pieces.get(signal)?.push(points);
  }

  async finish(reader: RunReader, nowUs: number): Promise<Rollup> {
    const pieces = this.#pieces;
    if (pieces !== null) this.#builder.add(combine(this.wanted, (signal) => pieces.get(signal) ?? []));
    for (let range = this.#builder.next(); range !== null; range = this.#builder.next())
      await this.#addAgain(reader, range);
    return this.#builder.finish(nowUs);
  }

  async #addAgain(reader: RunReader, window: Window): Promise<void> {
    const { signals } = this.wanted;
    if (signals.length === 1) {
      await reader.inside({ signals, window }, (_, points) => this.#builder.addAgain(points));
      return;
    }
    const pieces = new Map(signals.map((signal): [number, Points[]] => [signal, []]));
    await reader.inside({ signals, window }, (signal, points) => pieces.get(signal)?.push(points));
    const source = { signals, window, before: false, after: false };
    this.#builder.addAgain(combine(source, (signal) => pieces.get(signal) ?? []));
  }
}

function takersOf(feeds: readonly Feed[]): Map<number, Feed[]> {
  const takers = new Map<number, Feed[]>();
  for (const feed of feeds) {
    for (const signal of feed.wanted.signals) {
      const own = takers.get(signal);
      if (own === undefined) takers.set(signal, [feed]);
      else own.push(feed);
    }
  }
  return takers;
}

function groupsOf(sources: readonly Wanted[]): Group[] {
  const groups = new Map<string, { group: Group; signals: Set<number> }>();
  for (const { window, before, after, signals } of sources) {
    const name = nameOf({ window, before, after });
    const known = groups.get(name) ?? { group: { window, before, after, signals: [] }, signals: new Set() };
    for (const signal of signals) known.signals.add(signal);
    groups.set(name, known);
  }
  return [...groups.values()].map(({ group, signals }) => ({
    ...group,
    signals: [...signals].sort((a, b) => a - b),
  }));
}

function nameOf({ window, before, after }: Pick<Wanted, 'window' | 'before' | 'after'>): string {
  return `${window.startUs} ${window.endUs} ${before} ${after}`;
}

/** Reads a group, of each signal first the point before the window, then those inside, then the one after. */
async function readGroup(
  reader: RunReader,
  { signals, window, before, after }: Group,
  inside: (take: TakeRun) => Promise<void>,
  take: TakeRun,
): Promise<void> {
  const { startUs } = window;
  const endUs = Math.max(startUs, window.endUs);
  const [befores, afters] = await Promise.all([
    before ? nearestBefore(reader, signals, startUs) : null,
    after ? nearestAfter(reader, signals, endUs) : null,
  ]);
  for (const [signal, points] of befores ?? []) take(signal, points);
  await inside(take);
  for (const [signal, points] of afters ?? []) take(signal, points);
}

/** The union of a source's signals. Of the points outside the window, which each signal may have, only the nearest stay. */
function combine({ signals, window, before, after }: Wanted, piecesOf: (signal: number) => Points[]): Points {
  if (signals.length === 1) return joinPieces(piecesOf(signals[0]));
  const all = unite(signals.map((signal) => joinPieces(piecesOf(signal))));
  const { startUs } = window;
  const endUs = Math.max(startUs, window.endUs);
  const first = lowerBound(all.timesUs, startUs);
  const end = lowerBound(all.timesUs, endUs, first);
  const from = before ? Math.max(0, first - 1) : first;
  const to = after ? Math.min(all.timesUs.length, end + 1) : end;
  if (from >= to) return noPoints;
  return { timesUs: all.timesUs.subarray(from, to), values: all.values.subarray(from, to) };
}
