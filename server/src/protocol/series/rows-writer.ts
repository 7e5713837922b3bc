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

/** What else concerns the rows of one body. */
export interface RowsToWrite {
  rows: SeriesRows;
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

  constructor(options: RowsWriterOptions) {
    this.#options = options;
  }

  /** Stores rows, which are durable when it resolves; the number of points. Rejects as an insert does. */
  async write({ rows, call, hold, heldBytes, gapDetectionUs }: RowsToWrite): Promise<number> {
    const { caller, ticket } = call;
    const frames = await runSteps(this.#frames.make(rows, this.#options.limits.signalsPerCallMax), (work) =>
      ticket.step(work),
    );
    hold.change(heldBytes + rows.bytes + frames.reduce((sum, { columns }) => sum + columns.bytes, 0));
    const columns = frames.map((frame) => frame.columns);
    const describe = describing(frames, gapDetectionUs);
    if (frames.length > 0)
      await this.#options.writer.insertAll(caller.integration, columns, ticket.account, describe);
    return columns.reduce((sum, { pointCount }) => sum + pointCount, 0);
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
