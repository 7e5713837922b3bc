/** Stores what Prometheus sends by remote write (I3): decompresses and reads requests, and has their columns inserted. */
import { type AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { runSteps } from '#model/steps';
import type { Call } from '../method.ts';
import type { Rpc } from '../rpc.ts';
import { describeSeries, type Series } from '../series/series.ts';
import { SeriesFrames } from '../series/series-frames.ts';
import type { SeriesFrame, SeriesWriter } from '../series/series-writer.ts';
import { type ReadRequest, RemoteRequestReader, type RemoteVersion, RequestFault } from './request-reader.ts';
import { SeriesMemory } from './series-memory.ts';
import { decompress, uncompressedBytes } from './snappy.ts';

/** Dependencies of {@link RemoteEndpoint}. */
export interface RemoteEndpointOptions {
  rpc: Pick<Rpc, 'runAs'>;
  writer: SeriesWriter;
  /** Read at each request. */
  limits: Pick<Limits, 'signalsPerCallMax' | 'remoteWriteBytesMax'>;
}

/** What became of a request. */
export interface RemoteOutcome extends Pick<ReadRequest, 'samples' | 'histograms' | 'problems' | 'refused'> {
  /** Points that are stored. */
  points: number;
}

const method = 'integration.insert';

/** The gap after which Prometheus itself takes a series to have ended, µs; new signals get it. */
const gapUs = 300_000_000;

/** Stores requests. */
export class RemoteEndpoint {
  readonly #options: RemoteEndpointOptions;
  readonly #memory = new SeriesMemory();
  readonly #frames = new SeriesFrames();

  constructor(options: RemoteEndpointOptions) {
    this.#options = options;
  }

  /** Stores a compressed request; resolves when its points are durable. `invalid-params` when it is none; else as `integration.insert`. */
  write(block: Buffer, version: RemoteVersion, call: Call): Promise<RemoteOutcome> {
    const bytes = uncompressedBytes(block);
    const store = () => this.#store(block, bytes, version, call);
    return this.#options.rpc.runAs(method, bytes ?? block.length, call, store, refusalOf);
  }

  async #store(
    block: Buffer,
    bytes: number | null,
    version: RemoteVersion,
    call: Call,
  ): Promise<RemoteOutcome> {
    const { ticket } = call;
    const max = this.#options.limits.remoteWriteBytesMax;
    if (bytes === null) throw invalidParams({ body: ['is not a valid snappy block'] });
    if (bytes > max) throw invalidParams({ body: [`must be at most ${max} bytes, after decompression`] });
    const hold = ticket.hold('inflated');
    await hold.take(bytes * 4);
    try {
      const plain = await ticket.step(() => decompress(block, bytes));
      if (plain === null) throw invalidParams({ body: ['is not a valid snappy block'] });
      const read = await runSteps(new RemoteRequestReader(plain, version, this.#memory).read(), (work) =>
        ticket.step(work),
      );
      const frames = await runSteps(
        this.#frames.make(read.rows, this.#options.limits.signalsPerCallMax),
        (work) => ticket.step(work),
      );
      hold.change(bytes + read.rows.bytes + frames.reduce((sum, { columns }) => sum + columns.bytes, 0));
      await this.#insert(frames, call);
      const points = frames.reduce((sum, { columns }) => sum + columns.pointCount, 0);
      return { ...read, points };
    } catch (error) {
      throw error instanceof RequestFault ? invalidParams({ body: [error.message] }) : error;
    } finally {
      hold.leave();
    }
  }

  async #insert(frames: readonly SeriesFrame[], { caller, ticket }: Call): Promise<void> {
    if (frames.length === 0) return;
    const columns = frames.map((frame) => frame.columns);
    const names = new Map<string, Series>();
    const describe = (input: string) => {
      if (names.size === 0)
        for (const { series } of frames) for (const one of series) names.set(one.input, one);
      return { ...describeSeries((names.get(input) as Series).name), gapDetectionUs: gapUs };
    };
    await this.#options.writer.insertAll(caller.integration, columns, ticket.account, describe);
  }
}

/** What is reported of samples that were refused, although the others are stored. */
function refusalOf({ refused, histograms, problems: [first] }: RemoteOutcome): AppError | null {
  // Without numbers, which differ each time.
  if (refused > 0) return invalidParams({ samples: [first?.replace(/-?\d+/g, '…') ?? 'cannot be stored'] });
  return histograms > 0 ? invalidParams({ histograms: ['native histograms are not stored'] }) : null;
}
