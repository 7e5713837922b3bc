/** The file of an export: written in parts, each complete or not there, and renamed when all of them are. */
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Output } from './terminal.ts';
import { UsageError } from './usage.ts';

/** What is known of the parts that have been written. */
interface State {
  parameters: Readonly<Record<string, string>>;
  bytes: number;
  next: string | null;
}

/** Compresses a piece as a member of its own; members behind one another are a valid file. */
type Compress = (bytes: Buffer) => Promise<Buffer>;

const compressors: Readonly<Record<string, Compress>> = {
  '.gz': promisify<Buffer, Buffer>(zlib.gzip),
  '.zst': promisify<Buffer, Buffer>(zlib.zstdCompress),
};

/** Bytes that are compressed as one member. */
const memberBytes = 4 * 1024 * 1024;

const newline = 0x0a;

/** Receives the parts of one export. */
export class ExportFile {
  readonly #path: string;
  readonly #file: FileHandle | null;
  readonly #output: Output;
  readonly #compress: Compress | null;
  readonly #parameters: Readonly<Record<string, string>>;
  /** Bytes of complete parts. */
  bytes: number;
  /** Where the next part begins; null: at the beginning. */
  next: string | null;
  /** Whether the last part has been written. */
  isComplete = false;

  private constructor(path: string, file: FileHandle | null, output: Output, state: State) {
    this.#path = path;
    this.#file = file;
    this.#output = output;
    this.#compress = compressors[/\.[a-z]+$/.exec(path)?.[0] ?? ''] ?? null;
    this.#parameters = state.parameters;
    this.bytes = state.bytes;
    this.next = state.next;
  }

  /** Opens `path`, or `output` for `-`; goes on with what an interrupted export with these parameters has left. */
  static async open(path: string, parameters: State['parameters'], output: Output): Promise<ExportFile> {
    const fresh: State = { parameters, bytes: 0, next: null };
    if (path === '-') return new ExportFile(path, null, output, fresh);
    const state = (await readState(path, parameters)) ?? fresh;
    const flags = state.bytes > 0 ? 'r+' : 'w';
    const file = await open(partOf(path), flags).catch(({ message }: Error) => {
      throw new UsageError(`--output: cannot write ${partOf(path)}: ${message}`);
    });
    await file.truncate(state.bytes);
    return new ExportFile(path, file, output, state);
  }

  /** Whether a part can be written again, in place of what was written of it. */
  get canRepeat(): boolean {
    return this.#file !== null;
  }

  /** Writes a part and notes it. What was written of a part that fails is not counted. */
  async writePart(stream: AsyncIterable<Uint8Array>, onBytes: (bytes: number) => void): Promise<void> {
    const isFirst = this.next === null && this.bytes === 0;
    const lines = new PartLines(!isFirst && this.#parameters.format === 'csv');
    let at = this.bytes;
    let held: Buffer[] = [];
    let heldBytes = 0;
    const write = async (isAll: boolean) => {
      if (heldBytes === 0 || (!isAll && heldBytes < memberBytes)) return;
      at += await this.#write(Buffer.concat(held), at);
      held = [];
      heldBytes = 0;
      onBytes(at);
    };
    for await (const chunk of stream) {
      const bytes = lines.add(Buffer.from(chunk));
      held.push(bytes);
      heldBytes += bytes.length;
      await write(false);
    }
    const { rest, next } = lines.end();
    held.push(rest);
    heldBytes += rest.length;
    await write(true);
    await this.#note(at, next);
  }

  async #note(bytes: number, next: string | null): Promise<void> {
    this.bytes = bytes;
    this.next = next;
    this.isComplete = next === null;
    if (this.#file === null) return;
    await this.#file.truncate(bytes);
    await this.#file.sync();
    const state: State = { parameters: this.#parameters, bytes, next };
    if (next !== null) await writeFile(stateOf(this.#path), JSON.stringify(state));
  }

  async #write(plain: Buffer, at: number): Promise<number> {
    const bytes = this.#compress === null ? plain : await this.#compress(plain);
    if (this.#file === null) this.#output.write(bytes);
    else await this.#file.write(bytes, 0, bytes.length, at);
    return bytes.length;
  }

  /** Gives the file its name. */
  async complete(): Promise<void> {
    if (this.#file === null) return;
    await this.#file.close();
    await rename(partOf(this.#path), this.#path);
    await rm(stateOf(this.#path), { force: true });
  }

  /** Closes the file; what is complete of it stays for the next run. */
  async close(): Promise<void> {
    await this.#file?.close();
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}

function stateOf(path: string): string {
  return `${path}.part.json`;
}

/** What an earlier run has left; null when there is nothing, or it exported something else. */
async function readState(path: string, parameters: State['parameters']): Promise<State | null> {
  try {
    const state: State = JSON.parse(await readFile(stateOf(path), 'utf8'));
    const isSame = JSON.stringify(state.parameters) === JSON.stringify(parameters);
    const { size } = await statOf(partOf(path));
    return isSame && size >= state.bytes ? state : null;
  } catch {
    return null;
  }
}

async function statOf(path: string) {
  const file = await open(path, 'r');
  return file.stat().finally(() => file.close());
}

/** Removes the titles of a part that continues another, and the last line that says where the next part begins. */
class PartLines {
  #hasTitles: boolean;
  /** The last line, which may be that one, and what came before the end of the titles. */
  #held: Buffer = Buffer.alloc(0);

  constructor(hasTitles: boolean) {
    this.#hasTitles = hasTitles;
  }

  /** Takes bytes; gives those that belong into the file for sure. */
  add(chunk: Buffer): Buffer {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#hasTitles) {
      const end = bytes.indexOf(newline);
      if (end >= 0) {
        bytes = bytes.subarray(end + 1);
        this.#hasTitles = false;
      }
    }
    const last = this.#hasTitles ? -1 : bytes.lastIndexOf(newline, bytes.length - 2);
    this.#held = bytes.subarray(last + 1);
    return bytes.subarray(0, last + 1);
  }

  /** The last line, unless it is the position of the next part. */
  end(): { rest: Buffer; next: string | null } {
    if (this.#held.length > 200) return { rest: this.#held, next: null };
    const next = /^(?:# next=(\S+)|\{"next":"([^"]+)"\})\r?\n$/.exec(this.#held.toString('utf8'));
    if (next !== null) return { rest: Buffer.alloc(0), next: next[1] ?? next[2] };
    return { rest: this.#held, next: null };
  }
}
