/**
 * Remembers rows that the servers have sent, points or buckets, by signal. Rows whose time has changed since, on any node, are
 * forgotten before they are used: see {@link RecentChanges}.
 */
import { lowerBound } from '#model/lower-bound';
import type { Window } from '#model/window';
import type { TimeRange } from '../coordination.ts';
import type { Look, RecentChanges } from './recent-changes.ts';

/** Rows in order of time, which is the first column. */
export type Rows = readonly Float64Array[];

/** What rows are. */
export interface RowShape {
  /** The same for the same kind of rows. */
  name: string;
  columnCount: number;
  /** The nearest time at or before, or at or after this one, at which a row can begin that is whole. */
  edgeBefore(us: number): number;
  edgeAfter(us: number): number;
}

/** Reads the rows of signals inside a window: those of a signal in order of time. */
export type ReadRows = (
  signals: readonly number[],
  window: Window,
  take: (signal: number, rows: Rows) => void,
) => Promise<void>;

/** How long rows are remembered, ms: an operator may have changed the tables, or an insert that failed have come late. */
const ageMsMax = 600_000;

/** The part of the memory that the rows of one signal may have. */
const partMax = 1 / 8;

/** Bytes of an entry besides its columns. */
const entryBytes = 400;

interface Entry {
  /** The times whose rows it has, from edge to edge. */
  window: Window;
  rows: Rows;
  bytes: number;
  /** The changes up to here were before it, or have been looked at. */
  place: number;
  readMs: number;
}

/** Rows in bounded memory; those used longest ago are forgotten first. */
export class RowCache {
  readonly #changes: RecentChanges;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(changes: RecentChanges, bytesMax: number) {
    this.#changes = changes;
    this.#bytesMax = bytesMax;
  }

  /**
   * The rows of each signal inside a window, of which buckets may begin before it. What is not known is read, and remembered. `look`
   * was taken for this read; null: nothing counts as known.
   */
  async read(
    shape: RowShape,
    { signals, window, look }: { signals: readonly number[]; window: Window; look: Look | null },
    readRows: ReadRows,
  ): Promise<Map<number, Rows>> {
    const parts = new Map(
      signals.map((signal) => [signal, look === null ? unknown() : this.#find(shape, signal, window)]),
    );
    const gaps = gapsOf(parts, window);
    await Promise.all(
      gaps.map((gap) =>
        readRows(gap.signals, gap.window, (signal, rows) => parts.get(signal)?.pieces.push(rows)),
      ),
    );
    const found = new Map<number, Rows>();
    for (const [signal, { pieces }] of parts) found.set(signal, joined(pieces, shape.columnCount));
    if (look === null) return found;
    for (const signal of new Set(gaps.flatMap((gap) => gap.signals))) {
      const read = { window, rows: found.get(signal) ?? [], readMs: parts.get(signal)?.readMs };
      this.#keep(shape, signal, read, look);
    }
    return found;
  }

  /** The part of a window that is known without a gap, and its rows as the first pieces. */
  #find(shape: RowShape, signal: number, window: Window): Part {
    const sections = sectionsOf(shape, window);
    const parts = sections.map((section) => this.#findSection(section, signal));
    const whole = sections.findIndex(({ isWhole }) => isWhole);
    const middle = parts[Math.max(0, whole)] ?? unknown();
    if (middle.known === null) return unknown();
    return parts.reduce((found, one) => (one === middle ? found : extended(found, one)), middle);
  }

  #findSection({ shape, window, isWhole }: Section, signal: number): Part {
    const entry = this.#current(shape, keyOf(shape, signal));
    if (entry === null) return unknown();
    const known = {
      startUs: Math.max(entry.window.startUs, window.startUs),
      endUs: Math.min(entry.window.endUs, window.endUs),
    };
    if (known.startUs >= known.endUs) return unknown();
    return { known, pieces: [isWhole ? cut(entry.rows, known) : entry.rows], readMs: entry.readMs };
  }

  /** An entry without what has changed. */
  #current(shape: RowShape, key: string): Entry | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    const changed = this.#changes.since(entry.place);
    const isOld = performance.now() - entry.readMs > ageMsMax;
    const window = changed === null || isOld ? null : without(shape, entry.window, changed);
    this.#drop(key, entry);
    if (window === null) return null;
    const kept = { ...entry, window, place: entry.place + (changed?.length ?? 0) };
    this.#add(key, kept);
    return kept;
  }

  #keep(
    shape: RowShape,
    signal: number,
    { window, rows, readMs = performance.now() }: { window: Window; rows: Rows; readMs: number | undefined },
    { place, open }: Look,
  ): void {
    for (const section of sectionsOf(shape, window)) {
      const settled = without(section.shape, section.window, open);
      if (settled === null) continue;
      const kept = cut(
        rows,
        section.isWhole ? settled : { ...settled, startUs: shape.edgeBefore(settled.startUs) },
      );
      const bytes = entryBytes + kept.reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes > this.#bytesMax * partMax) continue;
      const key = keyOf(section.shape, signal);
      const before = this.#entries.get(key);
      if (before !== undefined) this.#drop(key, before);
      const copies = kept.map((column) => column.slice());
      this.#add(key, { window: settled, rows: copies, bytes, place, readMs });
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  #drop(key: string, { bytes }: Entry): void {
    if (this.#entries.delete(key)) this.#bytes -= bytes;
  }
}

/** What is known of a signal before the rest is read. */
interface Part {
  known: Window | null;
  pieces: Rows[];
  /** When the oldest of it was read. */
  readMs: number | undefined;
}

/** A part of a window that is remembered by itself. */
interface Section {
  shape: RowShape;
  window: Window;
  /** Whether it goes from edge to edge, so that any part of it between edges can be used, else only all of it. */
  isWhole: boolean;
}

/** What is before the first edge of a window, between it and the last one, and behind that. */
function sectionsOf(shape: RowShape, { startUs, endUs }: Window): Section[] {
  const from = Math.min(endUs, shape.edgeAfter(startUs));
  const to = Math.max(from, shape.edgeBefore(endUs));
  const sections = [
    sectionBetween(shape, startUs, from),
    { shape, window: { startUs: from, endUs: to }, isWhole: true },
    sectionBetween(shape, to, endUs),
  ];
  return sections.filter(({ window }) => window.startUs < window.endUs);
}

function sectionBetween(shape: RowShape, startUs: number, endUs: number): Section {
  const own = {
    name: `${shape.name} ${startUs} ${endUs}`,
    columnCount: shape.columnCount,
    edgeBefore: (us: number) => (us >= endUs ? endUs : startUs),
    edgeAfter: (us: number) => (us <= startUs ? startUs : endUs),
  };
  return { shape: own, window: { startUs, endUs }, isWhole: false };
}

/** What is known together with a part that adjoins it, if it does. */
function extended(found: Part, { known, pieces, readMs = 0 }: Part): Part {
  if (found.known === null || known === null) return found;
  const { startUs, endUs } = found.known;
  const isBefore = known.endUs === startUs;
  if (!isBefore && known.startUs !== endUs) return found;
  return {
    known: isBefore ? { startUs: known.startUs, endUs } : { startUs, endUs: known.endUs },
    pieces: [...found.pieces, ...pieces],
    readMs: Math.min(readMs, found.readMs ?? readMs),
  };
}

function unknown(): Part {
  return { known: null, pieces: [], readMs: undefined };
}

function keyOf({ name }: RowShape, signal: number): string {
  return `${signal} ${name}`;
}

/** A window that has to be read. */
interface Gap {
  window: Window;
  signals: number[];
}

function gapsOf(parts: ReadonlyMap<number, Part>, window: Window): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const [signal, { known }] of parts) {
    for (const rest of known === null ? [window] : around(known, window)) {
      if (rest.startUs >= rest.endUs) continue;
      const name = `${rest.startUs} ${rest.endUs}`;
      const gap = gaps.get(name) ?? { window: rest, signals: [] };
      gap.signals.push(signal);
      gaps.set(name, gap);
    }
  }
  return [...gaps.values()];
}

function around(known: Window, { startUs, endUs }: Window): Window[] {
  return [
    { startUs, endUs: known.startUs },
    { startUs: known.endUs, endUs },
  ];
}

/** The longest part of a window, from edge to edge, that no range touches; null: there is none. */
function without(shape: RowShape, window: Window, ranges: readonly TimeRange[]): Window | null {
  let { startUs, endUs } = window;
  for (const { firstUs, lastUs } of ranges) {
    if (lastUs < startUs || firstUs >= endUs) continue;
    const before = shape.edgeBefore(firstUs);
    const after = Math.max(startUs, shape.edgeAfter(nextUs(lastUs)));
    if (before - startUs >= endUs - after) endUs = before;
    else startUs = after;
    if (startUs >= endUs) return null;
  }
  return { startUs, endUs };
}

/** The next time that a point can have: a whole number, which above 2^53 is an even one. */
function nextUs(us: number): number {
  return us + (Math.abs(us) < 2 ** 53 ? 1 : 2);
}

function cut(rows: Rows, { startUs, endUs }: Window): Rows {
  const from = lowerBound(rows[0], startUs);
  const to = lowerBound(rows[0], endUs, from);
  return rows.map((column) => column.subarray(from, to));
}

/** Pieces in any order as one, with its own memory. */
function joined(pieces: readonly Rows[], columnCount: number): Rows {
  const inOrder = pieces.filter(([times]) => times.length > 0).sort(([a], [b]) => a[0] - b[0]);
  const count = inOrder.reduce((sum, [times]) => sum + times.length, 0);
  return Array.from({ length: columnCount }, (_, i) => {
    const column = new Float64Array(count);
    let at = 0;
    for (const piece of inOrder) {
      column.set(piece[i], at);
      at += piece[i].length;
    }
    return column;
  });
}
