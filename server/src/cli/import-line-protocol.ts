/** `tidemark import line-protocol`: files in InfluxDB's line protocol become signals and points, as requests do (I1, I2). */
import { Frame } from '#model/frame';
import { runAtOnce, runSteps } from '#model/steps';
import { lineFeed } from '#protocol/bytes';
import { HeadMemory } from '#protocol/line-protocol/head-memory';
import { takeStates } from '#protocol/line-protocol/line-endpoint';
import type { LineProblem } from '#protocol/line-protocol/line-fault';
import { LineReader } from '#protocol/line-protocol/line-reader';
import type { Precision } from '#protocol/line-protocol/value-scanner';
import { describeSeries, type Series } from '#protocol/series/series';
import { SeriesFrames } from '#protocol/series/series-frames';
import type { SeriesFrame } from '#protocol/series/series-writer';
import type { RejectsFile } from './csv/rejects.ts';
import { ByteSource } from './csv/source.ts';
import type { PointsSummary } from './import-json-lines.ts';
import type { ImportTarget, NewSignal, TargetSignal } from './import-target.ts';
import type { Progress } from './progress.ts';
import { CommandError } from './usage.ts';

/** Options of an import. */
export interface LinesImport {
  path: string;
  target: ImportTarget;
  /** The unit of the times. */
  precision: Precision;
  rejects: RejectsFile;
  progress: Progress;
}

/** Bytes that are read and stored together. */
const partBytes = 2 * 1024 * 1024;
const lineBytesMax = 2 * partBytes;
/** Series of one frame, and new signals of one call; a call takes 10,000. */
const seriesMax = 5_000;
/** Frames that are stored at one time. They have no signal in common. */
const framesAtOnce = 8;

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importLineProtocol(work: LinesImport): Promise<PointsSummary> {
  using source = await ByteSource.open(work.path);
  return await new LinesRun(work).all(source);
}

/** One pass over the lines of a file. */
class LinesRun {
  readonly #work: LinesImport;
  readonly #memory = new HeadMemory();
  readonly #frames = new SeriesFrames();
  readonly #signals = new Map<string, TargetSignal>();
  /** Input key → name of a state → its number; undefined: the signal has none. */
  readonly #states = new Map<string, ReadonlyMap<string, number> | undefined>();
  #points = 0;
  #lines = 0;

  constructor(work: LinesImport) {
    this.#work = work;
  }

  async all(source: ByteSource): Promise<PointsSummary> {
    const { progress, rejects } = this.#work;
    let rest: Buffer = Buffer.alloc(0);
    for await (const bytes of partsOf(source)) {
      const text = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      rest = text.subarray(await this.#takeSome(text));
      const { bytesRead, bytesTotal } = source;
      progress.show(bytesTotal ? bytesRead / bytesTotal : null, this.#points);
    }
    await this.#take(rest, true);
    await rejects.removeStale();
    const counts = { rejected: rejects.rows, rejectedFields: rejects.count - rejects.rows };
    return { points: this.#points, ...counts, rejectsPath: rejects.path, signals: this.#signals, notes: [] };
  }

  /** A quotation mark that is missing would make one line of the whole file: a long one ends at the last line break. */
  async #takeSome(text: Buffer): Promise<number> {
    if (text.length < lineBytesMax) return this.#take(text, false);
    const end = text.lastIndexOf(lineFeed) + 1;
    if (end === 0)
      throw new CommandError(`line ${this.#lines + 1} has more than ${lineBytesMax / 2 ** 20} MiB`);
    return this.#take(text.subarray(0, end), true);
  }

  /** Stores the lines of a part. Returns where the line begins that the next part continues. */
  async #take(bytes: Buffer, isLast: boolean): Promise<number> {
    const part = { linesBefore: this.#lines, isLast };
    const options = { precision: this.#work.precision, nowUs: null, part };
    const read = await atOnce(new LineReader(bytes, this.#memory, options).read());
    this.#lines = read.lines;
    await takeStates(read, bytes, (inputs) => this.#statesOf(inputs));
    const { first, firstTexts } = read.problems;
    for (const problem of [...first, ...firstTexts].sort((a, b) => a.line - b.line))
      await this.#reject(problem);
    const frames = await atOnce(this.#frames.make(read.rows, seriesMax));
    await this.#create(frames);
    for (let start = 0; start < frames.length; start += framesAtOnce)
      await Promise.all(frames.slice(start, start + framesAtOnce).map((frame) => this.#insert(frame)));
    return read.end;
  }

  async #insert({ columns }: SeriesFrame): Promise<void> {
    const { timesUs, keys, values, pointCount } = columns;
    const rows = timesUs.length;
    const series = new Map(keys.map((key, i) => [key, values.subarray(i * rows, (i + 1) * rows)]));
    this.#note(await this.#work.target.insertFrame(new Frame(timesUs, series)));
    this.#points += pointCount;
  }

  /** Creates the signals of series that have not occurred before, with their names and labels. */
  async #create(frames: readonly SeriesFrame[]): Promise<void> {
    const added: Series[] = frames.flatMap(({ series }) => series.filter(({ input }) => this.#isNew(input)));
    for (let start = 0; start < added.length; start += seriesMax) {
      const described = added.slice(start, start + seriesMax);
      const signals = described.map(({ input, name }): [string, NewSignal] => [input, describeSeries(name)]);
      this.#note(await this.#work.target.create(new Map(signals)));
    }
  }

  #isNew(input: string): boolean {
    return !this.#signals.has(input);
  }

  #note(saved: ReadonlyMap<string, TargetSignal>): void {
    for (const [key, { id, created }] of saved)
      this.#signals.set(key, { id, created: created || this.#signals.get(key)?.created === true });
  }

  async #statesOf(inputs: readonly string[]): Promise<Map<string, ReadonlyMap<string, number>>> {
    const unknown = inputs.filter((input) => !this.#states.has(input));
    for (const input of unknown) this.#states.set(input, undefined);
    const found = unknown.length === 0 ? [] : await this.#work.target.states(unknown);
    for (const [input, names] of found)
      if (names.size > 0)
        this.#states.set(input, new Map([...names].map(([number, name]) => [name, Number(number)])));
    return new Map(
      inputs.flatMap((input) => {
        const states = this.#states.get(input);
        return states === undefined ? [] : [[input, states]];
      }),
    );
  }

  async #reject({ line, text, reason, message }: LineProblem): Promise<void> {
    if (text !== null && isStatement(text)) return;
    await this.#work.rejects.add(
      { line, reason: text === null ? message : reason, fields: [text ?? ''] },
      text !== null,
    );
  }
}

/** The statements of a file that `influx_inspect export` has written: they say nothing that matters here. */
function isStatement(text: string): boolean {
  return /^(CREATE (DATABASE|RETENTION POLICY)|ALTER RETENTION POLICY) /.test(text);
}

function atOnce<T>(steps: Generator<number, T, void>): Promise<T> {
  return runSteps(steps, runAtOnce);
}

/** The content of a file in pieces of about {@link partBytes}. */
async function* partsOf(source: ByteSource): AsyncGenerator<Buffer, void, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of source.chunks()) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < partBytes) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  yield Buffer.concat(held);
}
