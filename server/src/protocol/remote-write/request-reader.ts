/** Reads requests of Prometheus remote write, versions 1.0 and 2.0, from their protobuf form into rows, in steps. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { instantUsMax } from '#model/instant';
import type { Steps } from '#model/steps';
import { SeriesRows } from '../series/series-rows.ts';
import { type RemoteSeries, SeriesFault, type SeriesMemory } from './series-memory.ts';

/** The version of a request. */
export type RemoteVersion = 1 | 2;

/** The body is no request; the message says why. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
}

/** What a request says. */
export interface ReadRequest {
  rows: SeriesRows;
  /** Samples that were read, those included that are no points. */
  samples: number;
  /** Native histograms, which are not stored. */
  histograms: number;
  /** Why samples are not stored: the first reasons, and how many samples there are. */
  problems: string[];
  refused: number;
}

/** Nanoseconds that a byte takes, and a series, though it be empty. */
const byteWork = 30;
const seriesWork = 2000;

const problemsMax = 10;
const labelsMax = 256;

/** Numbers of fields: of the request, and of a series, by version. */
const seriesField = { 1: 1, 2: 5 } as const;
const symbolField = 4;
const histogramField = { 1: 4, 2: 3 } as const;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads one request. */
export class RemoteRequestReader {
  readonly #bytes: Buffer;
  readonly #version: RemoteVersion;
  readonly #memory: SeriesMemory;
  readonly #symbols: string[] = [];
  readonly #read: ReadRequest = {
    rows: new SeriesRows(),
    samples: 0,
    histograms: 0,
    problems: [],
    refused: 0,
  };

  constructor(bytes: Buffer, version: RemoteVersion, memory: SeriesMemory) {
    this.#bytes = bytes;
    this.#version = version;
    this.#memory = memory;
  }

  /** Reads all series. Fails with a {@link RequestFault}. */
  *read(): Steps<ReadRequest> {
    const reader = new BinaryReader(this.#bytes);
    while (reader.pos < reader.len) {
      const before = reader.pos;
      this.#readField(reader);
      yield seriesWork + (reader.pos - before) * byteWork;
    }
    return this.#read;
  }

  #readField(reader: BinaryReader): void {
    try {
      const [field, type] = reader.tag();
      if (type === WireType.LengthDelimited && field === seriesField[this.#version])
        this.#readSeries(reader.bytes());
      else if (type === WireType.LengthDelimited && field === symbolField && this.#version === 2)
        this.#symbols.push(reader.string());
      else reader.skip(type, field);
    } catch (error) {
      if (error instanceof RequestFault) throw error;
      throw new RequestFault('the body is not a valid protobuf message');
    }
  }

  #readSeries(bytes: Uint8Array): void {
    const reader = new BinaryReader(bytes);
    const series = this.#readLabels(reader, bytes);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 2 && type === WireType.LengthDelimited) this.#readSample(reader.bytes(), series);
      else {
        if (field === histogramField[this.#version]) this.#read.histograms++;
        reader.skip(type, field);
      }
    }
  }

  /** The labels come first; a series whose labels cannot be stored is read on, to count its samples. */
  #readLabels(reader: BinaryReader, bytes: Uint8Array): RemoteSeries | null {
    let end = 0;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field !== 1) break;
      reader.skip(type, field);
      end = reader.pos;
    }
    reader.pos = end;
    const labels = bytes.subarray(0, end);
    try {
      return this.#version === 1 ? this.#findByBytes(labels) : this.#findBySymbols(labels);
    } catch (error) {
      if (!(error instanceof SeriesFault)) throw error;
      if (this.#read.problems.length < problemsMax) this.#read.problems.push(error.message);
      return null;
    }
  }

  #findByBytes(bytes: Uint8Array): RemoteSeries {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    return this.#memory.find(key, () => labelsOf(bytes));
  }

  #findBySymbols(bytes: Uint8Array): RemoteSeries {
    const texts = refsOf(bytes).map((ref) => {
      const symbol = this.#symbols[ref];
      if (symbol === undefined) throw new RequestFault(`there is no symbol ${ref}`);
      return symbol;
    });
    if (texts.length % 2 !== 0) throw new RequestFault('a label has no value');
    const pairs = () =>
      Array.from({ length: texts.length / 2 }, (_, i): [string, string] => [texts[2 * i], texts[2 * i + 1]]);
    return this.#memory.find(JSON.stringify(texts), pairs);
  }

  #readSample(bytes: Uint8Array, series: RemoteSeries | null): void {
    const reader = new BinaryReader(bytes);
    let value = 0;
    let ms = 0;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1 && type === WireType.Bit64) value = reader.double();
      else if (field === 2 && type === WireType.Varint) ms = Number(reader.int64());
      else reader.skip(type, field);
    }
    this.#read.samples++;
    if (series === null) this.#read.refused++;
    else this.#addSample(series, value, ms);
  }

  /** A value that is not finite is no point: a stale marker ends the points of a series, as a gap (I3b). */
  #addSample({ head, series }: RemoteSeries, value: number, ms: number): void {
    if (!Number.isFinite(value)) return;
    const { rows, problems } = this.#read;
    const timeUs = ms * 1000;
    if (!(Math.abs(timeUs) <= instantUsMax)) {
      this.#read.refused++;
      if (problems.length < problemsMax) problems.push(`the time ${ms} ms is outside the range of times`);
      return;
    }
    rows.begin();
    rows.add(series, value, null);
    rows.end(head, timeUs);
  }
}

/** The labels of a series of version 1.0. */
function labelsOf(bytes: Uint8Array): [string, string][] {
  const reader = new BinaryReader(bytes, (text) => decoder.decode(text));
  const labels: [string, string][] = [];
  while (reader.pos < reader.len) {
    reader.tag();
    if (labels.length === labelsMax) throw new SeriesFault(`a series has more than ${labelsMax} labels`);
    labels.push(readLabel(reader));
  }
  return labels;
}

function readLabel(reader: BinaryReader): [string, string] {
  const label: [string, string] = ['', ''];
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (field === 1 || field === 2) label[field - 1] = reader.string();
    else reader.skip(type, field);
  }
  return label;
}

/** The numbers of the symbols of a series of version 2.0, packed or not. */
function refsOf(bytes: Uint8Array): number[] {
  const reader = new BinaryReader(bytes);
  const refs: number[] = [];
  while (reader.pos < reader.len) {
    const [, type] = reader.tag();
    const end = type === WireType.LengthDelimited ? reader.uint32() + reader.pos : reader.pos + 1;
    do refs.push(reader.uint32());
    while (reader.pos < end);
    if (refs.length > 2 * labelsMax) throw new SeriesFault(`a series has more than ${labelsMax} labels`);
  }
  return refs;
}
