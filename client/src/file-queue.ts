/**
 * A queue of a writer in the files of a directory, for Node: points survive the end of the program, kill -9 included. Batches
 * are appended to segments; a segment is deleted when all of it has been removed. A file of its own has the place of the
 * oldest batch; where it is out of date after a crash, some batches are sent twice, in order, which does no harm.
 */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from './directory-lock.ts';
import { decodeRecord, encodeRecord, findRecord } from './point-bytes.ts';
import { joinPoints, type Points } from './points.ts';
import type { Appended, Backlog, QueueLoss, WriterQueue } from './queue.ts';

/** What a file queue is made with. */
export interface FileQueueOptions {
  /** A directory that no other writer uses; created if it does not exist. */
  directory: string;
  /** The most bytes of all segments; default 256 MiB, about 100 million points of regular data. The oldest are dropped above it. */
  bytesMax?: number;
}

/** A record of a segment. */
interface Entry {
  number: number;
  at: number;
  end: number;
  points: number;
}

/** A file with records, oldest first. */
interface Segment {
  id: number;
  bytes: number;
  entries: Entry[];
}

/** A segment is this part of the whole, so that at the bound little is dropped at once. */
const segmentParts = 32;

/** Keeps the batches of a writer in a directory. */
export class FileQueue implements WriterQueue {
  readonly isDurable = true;
  readonly #directory: string;
  readonly #bytesMax: number;
  #segments: Segment[] = [];
  /** The last segment, while it is written. */
  #file: { id: number; handle: FileHandle } | null = null;
  #unlock: () => void = () => {};
  #number = 0;
  #nextId = 1;
  /** Work on the files, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ directory, bytesMax = 256 * 1024 * 1024 }: FileQueueOptions) {
    if (!(bytesMax >= 65_536)) throw new RangeError(`bytesMax must be at least 65536, got ${bytesMax}`);
    this.#directory = directory;
    this.#bytesMax = bytesMax;
  }

  get points(): number {
    let points = 0;
    for (const { entries } of this.#segments) for (const entry of entries) points += entry.points;
    return points;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes the directory, and finds what an earlier run has left. Throws where another program uses it. */
  async open(): Promise<Appended> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#unlock = lockDirectory(this.#directory);
    const lost: QueueLoss[] = [];
    const ids = readdirSync(this.#directory).flatMap((name) => /^(\d{12})\.points$/.exec(name)?.[1] ?? []);
    const position = this.#readPosition();
    for (const [i, text] of ids.sort().entries()) {
      const id = Number(text);
      this.#nextId = id + 1;
      const { segment, isDamaged } = this.#readSegment(id, position);
      if (segment.entries.length > 0) this.#segments.push(segment);
      else rmSync(this.#path(id));
      // What was being written when the program was killed has been promised to no caller.
      if (isDamaged && i < ids.length - 1) lost.push({ reason: 'damaged', points: 0, last: this.#number });
    }
    return { number: this.#number, lost };
  }

  append(points: Points): Promise<Appended> {
    return this.#inTurn(async () => {
      const record = encodeRecord(points);
      const lost = this.#makeRoom(record.length);
      const file = await this.#writable(record.length);
      const segment = this.#segments[this.#segments.length - 1];
      await writeWhole(file, record, segment.bytes);
      await file.datasync();
      return { number: this.#note(segment, record), lost };
    });
  }

  /** As {@link append}, while the program ends. Not while an append is under way. */
  appendNow(points: Points): void {
    const record = encodeRecord(points);
    this.#makeRoom(record.length);
    const id = this.#nextId++;
    const file = openSync(this.#path(id), 'wx', 0o600);
    writeSync(file, record);
    fdatasyncSync(file);
    closeSync(file);
    const segment: Segment = { id, bytes: 0, entries: [] };
    this.#segments.push(segment);
    this.#note(segment, record);
  }

  oldest(pointsMax: number): Promise<Backlog | null> {
    return this.#inTurn(async () => {
      const taken: Points[] = [];
      let count = 0;
      let last = 0;
      for (const { id, entries } of this.#segments) {
        if (entries.length === 0) continue;
        if (taken.length > 0 && count + entries[0].points > pointsMax) break;
        const file = readFileSync(this.#path(id));
        for (const { number, at, end, points } of entries) {
          if (taken.length > 0 && count + points > pointsMax) break;
          taken.push(decodeRecord(file, at, end));
          count += points;
          last = number;
        }
      }
      return taken.length === 0 ? null : { points: joinPoints(taken), last };
    });
  }

  remove(last: number): Promise<void> {
    return this.#inTurn(async () => {
      for (const segment of this.#segments)
        segment.entries = segment.entries.filter(({ number }) => number > last);
      const gone = this.#segments.filter(({ entries }) => entries.length === 0);
      this.#segments = this.#segments.filter(({ entries }) => entries.length > 0);
      this.#writePosition();
      for (const { id } of gone) this.#delete(id);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#file?.handle.close();
      this.#file = null;
      this.#unlock();
      this.#unlock = () => {};
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  #path(id: number): string {
    return join(this.#directory, `${String(id).padStart(12, '0')}.points`);
  }

  #note(segment: Segment, record: Buffer): number {
    const at = segment.bytes;
    segment.bytes += record.length;
    this.#number++;
    segment.entries.push({ number: this.#number, at, end: segment.bytes, points: record.readUInt32LE(4) });
    return this.#number;
  }

  /** Drops the oldest segments until so many bytes more fit. */
  #makeRoom(bytes: number): QueueLoss[] {
    const loss: QueueLoss = { reason: 'full', points: 0, last: 0 };
    while (this.#segments.length > 0 && this.bytes + bytes > this.#bytesMax) {
      const { id, entries } = this.#segments.shift()!;
      for (const { points, number } of entries) {
        loss.points += points;
        loss.last = number;
      }
      this.#delete(id);
    }
    return loss.points > 0 ? [loss] : [];
  }

  #closeFile(): void {
    void this.#file?.handle.close();
    this.#file = null;
  }

  /** The file of the last segment, or of a new one where that has become long enough. */
  async #writable(bytes: number): Promise<FileHandle> {
    const segment = this.#segments[this.#segments.length - 1];
    const isOpen = this.#file !== null && segment?.id === this.#file.id;
    if (isOpen && segment.bytes + bytes <= this.#bytesMax / segmentParts) return this.#file!.handle;
    this.#closeFile();
    const id = this.#nextId++;
    const handle = await open(this.#path(id), 'wx', 0o600);
    this.#file = { id, handle };
    this.#segments.push({ id, bytes: 0, entries: [] });
    syncDirectory(this.#directory);
    return handle;
  }

  #delete(id: number): void {
    if (this.#file?.id === id) this.#closeFile();
    rmSync(this.#path(id), { force: true });
  }

  /** The records of a file up to the first that is damaged; what follows is cut off. */
  #readSegment(id: number, position: { id: number; at: number }): { segment: Segment; isDamaged: boolean } {
    const file = readFileSync(this.#path(id));
    const segment: Segment = { id, bytes: 0, entries: [] };
    for (let found = findRecord(file, 0); found !== null; found = findRecord(file, segment.bytes)) {
      const { end, points } = found;
      const isRemoved = id < position.id || (id === position.id && segment.bytes < position.at);
      if (!isRemoved) segment.entries.push({ number: ++this.#number, at: segment.bytes, end, points });
      segment.bytes = end;
    }
    const isDamaged = segment.bytes < file.length;
    if (isDamaged) truncateSync(this.#path(id), segment.bytes);
    return { segment, isDamaged };
  }

  #readPosition(): { id: number; at: number } {
    try {
      const [id, at] = readFileSync(join(this.#directory, 'position'), 'utf8').split(' ').map(Number);
      if (Number.isSafeInteger(id) && Number.isSafeInteger(at)) return { id, at };
    } catch {
      // Without one, all that the segments hold is sent again.
    }
    return { id: 0, at: 0 };
  }

  #writePosition(): void {
    const [first] = this.#segments;
    const text = first === undefined ? `${this.#nextId} 0` : `${first.id} ${first.entries[0].at}`;
    const path = join(this.#directory, 'position');
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/** A failed write leaves bytes behind that the next one overwrites, at the same place. */
async function writeWhole(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** So that a new file is found again after a loss of power. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
