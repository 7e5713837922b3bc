/** Stores what Prometheus sends by remote write (I3): decompresses and reads requests, and has their columns inserted. */
import { type AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { type RunStep, runSteps } from '#model/steps';
import type { Call } from '../method.ts';
import type { Rpc } from '../rpc.ts';
import { RowsWriter } from '../series/rows-writer.ts';
import type { SeriesWriter } from '../series/series-writer.ts';
import { type ReadRequest, RemoteRequestReader, type RemoteVersion, RequestFault } from './request-reader.ts';
import { SeriesMemory } from './series-memory.ts';
import { announcedBytes, decompressed } from './snappy.ts';

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

/** Memory for what is read of a request, as a multiple of its bytes: each series may be new and take a kilobyte. */
const seriesFactor = 24;

/** The gap after which Prometheus itself takes a series to have ended, µs; new signals get it. */
const gapUs = 300_000_000;

/** Stores requests. */
export class RemoteEndpoint {
  readonly #options: RemoteEndpointOptions;
  readonly #memory = new SeriesMemory();
  readonly #writer: RowsWriter;

  constructor(options: RemoteEndpointOptions) {
    this.#options = options;
    this.#writer = new RowsWriter(options);
  }

  /** Stores a compressed request; resolves when its points are durable. `invalid-params` when it is none; else as `integration.insert`. */
  write(block: Buffer, version: RemoteVersion, call: Call): Promise<RemoteOutcome> {
    const bytes = announcedBytes(block);
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
    if (bytes === null) throw invalidBlock();
    if (bytes > max) throw invalidParams({ body: [`must be at most ${max} bytes, after decompression`] });
    const hold = ticket.hold('inflated');
    await hold.take(bytes * seriesFactor);
    try {
      const runStep: RunStep = (step) => ticket.step(step);
      const plain = await runSteps(decompressed(block, bytes), runStep);
      if (plain === null) throw invalidBlock();
      const reader = new RemoteRequestReader(plain, version, this.#memory);
      const source = { call, hold, heldBytes: bytes, gapDetectionUs: gapUs };
      return await this.#writer.write(source, () => runSteps(reader.read(), runStep));
    } catch (error) {
      throw error instanceof RequestFault ? invalidParams({ body: [error.message] }) : error;
    } finally {
      hold.leave();
    }
  }
}

function invalidBlock(): AppError {
  return invalidParams({ body: ['is not a valid snappy block'] });
}

/** What is reported of samples that were refused, although the others are stored. */
function refusalOf({ refused, histograms, problems: [first] }: RemoteOutcome): AppError | null {
  // Without numbers, which differ each time.
  if (refused > 0) return invalidParams({ samples: [first?.replace(/-?\d+/g, '…') ?? 'cannot be stored'] });
  return histograms > 0 ? invalidParams({ histograms: ['native histograms are not stored'] }) : null;
}
