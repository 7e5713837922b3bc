/** Requests of Prometheus remote write for tests, made independently of what reads them. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** One series as a sender has it. */
export interface SentSeries {
  labels: Record<string, string>;
  /** Time in ms and value. */
  samples: readonly (readonly [ms: number, value: number])[];
  histograms?: number;
}

/** A request of version 1.0. */
export function requestV1(series: readonly SentSeries[]): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  for (const { labels, samples, histograms = 0 } of series) {
    writer.tag(1, WireType.LengthDelimited).fork();
    for (const [name, value] of Object.entries(labels)) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(name);
      writer.tag(2, WireType.LengthDelimited).string(value).join();
    }
    writeSamples(writer, samples);
    for (let i = 0; i < histograms; i++) writer.tag(4, WireType.LengthDelimited).fork().join();
    writer.join();
  }
  writer.tag(3, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int32(1).join();
  return literalBlock(writer.finish());
}

/** A request of version 2.0. */
export function requestV2(series: readonly SentSeries[]): Uint8Array<ArrayBuffer> {
  const symbols = [...new Set(['', ...series.flatMap(({ labels }) => Object.entries(labels).flat())])];
  const writer = new BinaryWriter();
  for (const symbol of symbols) writer.tag(4, WireType.LengthDelimited).string(symbol);
  for (const { labels, samples } of series) {
    writer.tag(5, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).fork();
    for (const text of Object.entries(labels).flat()) writer.uint32(symbols.indexOf(text));
    writer.join();
    writeSamples(writer, samples);
    writer.tag(6, WireType.Varint).int64(1_700_000_000_000).join();
  }
  return literalBlock(writer.finish());
}

function writeSamples(writer: BinaryWriter, samples: SentSeries['samples']): void {
  for (const [ms, value] of samples) {
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Bit64).double(value);
    writer.tag(2, WireType.Varint).int64(ms).join();
  }
}

/** A block of snappy without any compression. */
export function literalBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter().uint32(bytes.length);
  const { length } = bytes;
  if (length > 0)
    writer
      .raw(Uint8Array.of(63 << 2, ...[0, 8, 16, 24].map((shift) => ((length - 1) >>> shift) & 255)))
      .raw(bytes);
  return new Uint8Array(writer.finish());
}

/** The value by which Prometheus says that a series has ended: a NaN of its own. */
export const staleMarker = new Float64Array(new BigUint64Array([0x7ff0000000000002n]).buffer)[0];
