/** Stores the rows of a body: makes columns of them, counts their memory, and has them inserted. */
import type { Hold } from '#load/hold';
import type { Limits } from '#model/limits';
import { runSteps } from '#model/steps';
import type { Call } from '../method.ts';
import { describeSeries, type Series } from './series.ts';
import { SeriesFrames } from './series-frames.ts';
import type { SeriesRows } from './series-rows.ts';
import type { DescribeInput, SeriesFrame, SeriesWriter } from './series-writer.ts';

/** Dependencies of {@link RowsWriter}. */
export interface RowsWriterOptions {
  writer: SeriesWriter;
  /** Read at each body. */
  limits: Pick<Limits, 'signalsPerCallMax'>;
}

/** What concerns the rows of one body. */
export interface RowsSource {
  call: Call;
  /** Counts the memory of the body: `heldBytes` in addition to rows and columns. */
  hold: Hold;
  heldBytes: number;
  /** The gap detection of new signals; without it they have none. */
  gapDetectionUs?: number;
}

/** Stores rows. One for a protocol, since it remembers the lists of keys of recent frames. */
export class RowsWriter {
  readonly #options: RowsWriterOptions;
  readonly #frames = new SeriesFrames();
  /** Resolves when the frames of the last body are made. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RowsWriterOptions) {
    this.#options = options;
  }

  /**
   * Reads rows and stores them; they are durable when it resolves, with the number of points. Series know their places in one body
   * only, so bodies are read and made into frames one after the other, although each pauses between its steps. Rejects as `read` and
   * as an insert do.
   */
  async write<Read extends { rows: SeriesRows }>(
    source: RowsSource,
    read: () => Promise<Read>,
  ): Promise<Read & { points: number }> {
    const { caller, ticket } = source.call;
    const body = await this.#alone(async () => {
      const found = await read();
      return { found, frames: await this.#makeFrames(source, found.rows) };
    });
    const { found, frames } = body;
    const columns = frames.map((frame) => frame.columns);
    const describe = describing(frames, source.gapDetectionUs);
    if (frames.length > 0)
      await this.#options.writer.insertAll(caller.integration, columns, ticket.account, describe);
    return { ...found, points: columns.reduce((sum, { pointCount }) => sum + pointCount, 0) };
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #makeFrames({ call, hold, heldBytes }: RowsSource, rows: SeriesRows): Promise<SeriesFrame[]> {
    const making = this.#frames.make(rows, this.#options.limits.signalsPerCallMax);
    const frames = await runSteps(making, (work) => call.ticket.step(work));
    hold.change(heldBytes + rows.bytes + frames.reduce((sum, { columns }) => sum + columns.bytes, 0));
    return frames;
  }
}

/** Describes the new signals among the series of these frames; names are looked up once there is a new one. */
function describing(frames: readonly SeriesFrame[], gapDetectionUs?: number): DescribeInput {
  const names = new Map<string, Series>();
  return (input) => {
    if (names.size === 0)
      for (const { series } of frames) for (const one of series) names.set(one.input, one);
    return { ...describeSeries((names.get(input) as Series).name), gapDetectionUs };
  };
}
