/** Stores bodies in line protocol (I2): reads them, finds the states that strings name, and has the columns inserted. */
import type { Hold } from '#load/hold';
import type { Clock } from '#model/environment';
import { type AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { runSteps } from '#model/steps';
import type { Call } from '../method.ts';
import type { Rpc } from '../rpc.ts';
import { RowsWriter } from '../series/rows-writer.ts';
import type { Series } from '../series/series.ts';
import type { SeriesWriter } from '../series/series-writer.ts';
import { HeadMemory } from './head-memory.ts';
import type { LineProblem, LineProblems } from './line-fault.ts';
import { LineReader, type ReadLines } from './line-reader.ts';
import type { Precision } from './value-scanner.ts';

/** Dependencies of {@link LineEndpoint}. */
export interface LineEndpointOptions {
  rpc: Pick<Rpc, 'runAs'>;
  writer: SeriesWriter;
  clock: Clock;
  /** Read at each body. */
  limits: Pick<Limits, 'signalsPerCallMax'>;
}

/** What became of a body. */
export interface LinesOutcome {
  /** Points that are stored. */
  points: number;
  /** Lines of which nothing is stored, and fields that are not stored of lines that are. */
  droppedLines: number;
  droppedFields: number;
  /** The first problems, by their lines. */
  problems: readonly LineProblem[];
  /** Strings of signals without states, which are left out, and the first of them, by their lines. */
  leftOut: number;
  texts: readonly LineProblem[];
}

/** The method whose grant, rate and records count. */
const method = 'integration.insert';

/** Memory of a body's rows that is reserved before it is read, as a multiple of its bytes; then it is counted. */
const rowsFactor = 4;

/** Stores bodies in line protocol. */
export class LineEndpoint {
  readonly #options: LineEndpointOptions;
  readonly #memory = new HeadMemory();
  readonly #writer: RowsWriter;

  constructor(options: LineEndpointOptions) {
    this.#options = options;
    this.#writer = new RowsWriter(options);
  }

  /**
   * Stores the lines of a body; lines and fields that cannot be stored are reported in the outcome. It resolves when the points
   * are durable. Rejects as a call of `integration.insert` does.
   */
  write(bytes: Buffer, precision: Precision, call: Call): Promise<LinesOutcome> {
    const store = () => this.#store(bytes, precision, call);
    return this.#options.rpc.runAs(method, bytes.length, call, store, refusalOf);
  }

  async #store(bytes: Buffer, precision: Precision, call: Call): Promise<LinesOutcome> {
    const hold = call.ticket.hold('parsed');
    await hold.take(bytes.length * rowsFactor);
    try {
      const options = { precision, nowUs: this.#options.clock.nowUs() };
      const reader = new LineReader(bytes, this.#memory, options);
      let points = 0;
      do points += await this.#storeSome(reader, bytes, call, hold);
      while (!reader.isOver);
      return outcomeOf(points, reader.problems);
    } finally {
      hold.leave();
    }
  }

  /** Stores the next lines of a body; how many points. */
  async #storeSome(reader: LineReader, bytes: Buffer, call: Call, hold: Hold): Promise<number> {
    const { integration } = call.caller;
    const { points } = await this.#writer.write({ call, hold, heldBytes: 0 }, async () => {
      const read = await runSteps(reader.read(), (work) => call.ticket.step(work));
      hold.change(read.rows.bytes);
      await takeStates(read, bytes, (inputs) => this.#options.writer.states(integration, inputs));
      return read;
    });
    return points;
  }
}

/** Input keys → name of a state → its number, of those whose signals have states. */
export type FindStates = (
  inputs: readonly string[],
) => Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;

/** Puts the numbers of states in the place of the strings that name them, and notes every value that is refused. */
export async function takeStates(
  { rows, problems }: ReadLines,
  bytes: Buffer,
  findStates: FindStates,
): Promise<void> {
  const inputs = [...new Set(rows.texts.map(({ series }) => series.input))];
  const states = inputs.length === 0 ? new Map() : await findStates(inputs);
  for (const { series, from, to, at, line } of rows.texts) {
    const own = states.get(series.input);
    const number = own?.get(textOf(bytes, from, to));
    if (number !== undefined) rows.values[at] = number;
    else if (own !== undefined) problems.addValue(line, fieldOf(series), unknownState(series));
    else problems.addText(line, fieldOf(series), noStates(series));
  }
  for (const { line, series, reason } of rows.refusals) problems.addValue(line, fieldOf(series), reason);
}

/** What is reported of lines that were refused, although the others are stored: the first reason, without what was sent. */
function refusalOf({ problems, texts }: LinesOutcome): AppError | null {
  const [first = texts[0]] = problems;
  return first === undefined ? null : invalidParams({ lines: [first.reason] });
}

/** The text of a string value: a backslash escapes a quote or itself. */
function textOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('utf8', from, to).replace(/\\(["\\])/g, '$1');
}

function fieldOf({ name }: Series): string {
  return name.field ?? '';
}

function unknownState({ input }: Series): string {
  return `the signal ${input} has no state of this name`;
}

function noStates({ input }: Series): string {
  return `a string needs a signal of the type enum whose states are named; the input key is ${input}`;
}

function outcomeOf(points: number, problems: LineProblems): LinesOutcome {
  return {
    points,
    droppedLines: problems.lineCount,
    droppedFields: problems.valueCount,
    problems: problems.first,
    leftOut: problems.textCount,
    texts: problems.firstTexts,
  };
}
