/** Reads the schema of a stream: a column of times, and a column of numbers for each series. */
import { crc32 } from 'node:zlib';
import { LruCache } from '#model/lru-cache';
import { ProblemList, quote } from '#model/problem-list';
import type { Steps } from '#model/steps';
import { type ColumnType, numberTypes, timeType } from './column-type.ts';
import { streamFault } from './fault.ts';
import type { FlatTable } from './flatbuffer-reader.ts';
import { precisions, slots, timeName, timeUnits, typeNames, typeTags } from './format.ts';

/** The columns of a stream. */
export interface StreamSchema {
  /** The keys of the series, each once: the same array for the same schema while it is cached (see `Columns.keys`). */
  keys: readonly string[];
  /** The type of the times, and then that of each series. */
  types: readonly ColumnType[];
  /** The size of a row without nulls, bytes. */
  rowBytes: number;
}

interface KnownSchema {
  bytes: Uint8Array;
  schema: StreamSchema;
}

/** Work of reading a field, ns. */
const fieldWork = 1000;

/** Total size of cached schemas, bytes as they were sent: about 50,000 columns. */
const cachedBytesMax = 4 * 1024 * 1024;

/** Reads schemas, and caches recent ones: clients send the same one with each stream. */
export class SchemaReader {
  readonly #known = new LruCache<string, KnownSchema>(cachedBytesMax, ({ bytes }) => bytes.length);

  /** Reads a message with a schema. `invalid-params` when it has other columns, or more than `seriesMax` series. */
  *read(metadata: Uint8Array, header: FlatTable, seriesMax: number): Steps<StreamSchema> {
    if (header.int16(slots.schema.endianness) !== 0) throw streamFault('its numbers must be little-endian');
    const seriesCount = header.count(slots.schema.fields) - 1;
    if (seriesCount > seriesMax) throw tooManySeries(seriesMax, seriesCount);
    const key = `${metadata.length} ${crc32(metadata)}`;
    const known = this.#known.get(key);
    if (known !== undefined && Buffer.compare(known.bytes, metadata) === 0) return known.schema;
    const schema = yield* readSchema(header);
    this.#known.set(key, { bytes: new Uint8Array(metadata), schema });
    return schema;
  }
}

function tooManySeries(max: number, count: number) {
  const problems = new ProblemList();
  problems.add(['data', 'series'], `must have at most ${max} members, got ${count}`);
  return problems.toError();
}

/** Pauses after each field: a schema may have thousands. */
function* readSchema(header: FlatTable): Steps<StreamSchema> {
  const reading = new SchemaReading();
  for (const field of header.tables(slots.schema.fields)) {
    reading.add(field);
    yield fieldWork;
  }
  return reading.finish();
}

/** A schema that is being read, field by field. */
class SchemaReading {
  readonly #problems = new ProblemList();
  readonly #keys = new Set<string>();
  readonly #types: ColumnType[] = [];
  /** Of the first column; null: there was none yet. */
  #timeName: string | null = null;

  add(field: FlatTable): void {
    const name = field.text(slots.field.name) ?? '';
    const type = this.#timeName === null ? this.#addTimes(field, name) : this.#addSeries(field, name);
    if (type !== null) this.#types.push(type);
  }

  #addTimes(field: FlatTable, name: string): ColumnType | null {
    this.#timeName = name;
    return readTimeField(field, name, this.#problems);
  }

  #addSeries(field: FlatTable, name: string): ColumnType | null {
    const path = ['data', 'series', name];
    if (this.#keys.has(name) || name === this.#timeName)
      this.#problems.add(path, 'the stream has two columns of this name');
    this.#keys.add(name);
    return readNumberField(field, path, this.#problems);
  }

  finish(): StreamSchema {
    if (this.#timeName === null) noteTimeProblem('there is no column', this.#problems);
    this.#problems.throwIfAny();
    const types = this.#types;
    return { keys: [...this.#keys], types, rowBytes: types.reduce((sum, { bytes }) => sum + bytes, 0) };
  }
}

/** The type of the first column; null if it cannot be that of times. */
function readTimeField(field: FlatTable, name: string, problems: ProblemList): ColumnType | null {
  const problem = timeFieldProblem(field, name);
  if (problem !== null) return noteTimeProblem(problem, problems);
  return timeType(timeUnits[field.table(slots.field.type)?.int16(slots.timestamp.unit) ?? 0]);
}

function noteTimeProblem(problem: string, problems: ProblemList): null {
  problems.add(
    ['data', 'times'],
    `the first column must be "${timeName}", of type timestamp[us, UTC]: ${problem}`,
  );
  return null;
}

const utcNames = /^(?:utc|z|zulu|gmt|etc\/(?:utc|gmt|zulu)|[+-]00:?00)$/i;

function timeFieldProblem(field: FlatTable, name: string): string | null {
  const type = field.table(slots.field.type);
  if (name !== timeName) return `its name is ${quote(name)}`;
  if (type === null || field.uint8(slots.field.typeTag) !== typeTags.timestamp)
    return `its type is ${typeName(field)}; cast it`;
  if (timeUnits[type.int16(slots.timestamp.unit)] === undefined) return 'its unit is unknown';
  const zone = type.text(slots.timestamp.zone) ?? '';
  return zone === '' || utcNames.test(zone) ? null : `its zone is ${quote(zone)}; convert it to UTC`;
}

/** The type of a series; null if its values are no numbers. */
function readNumberField(
  field: FlatTable,
  path: readonly string[],
  problems: ProblemList,
): ColumnType | null {
  const name = typeName(field);
  const isPlain = field.table(slots.field.dictionary) === null;
  const type = isPlain ? numberTypes.get(name) : undefined;
  if (type !== undefined) return type;
  const given = isPlain ? `of type ${name}` : 'dictionary-encoded';
  problems.add(path, `must be a column of integers or floats, is ${given}; cast it to float64`);
  return null;
}

function typeName(field: FlatTable): string {
  const tag = field.uint8(slots.field.typeTag);
  const type = field.table(slots.field.type);
  const name = typeNames[tag] ?? `number ${tag}`;
  if (tag === typeTags.float) return precisions[type?.int16(slots.float.precision) ?? 0] ?? name;
  if (tag !== typeTags.int) return name;
  return `${type?.uint8(slots.int.isSigned) ? '' : 'u'}int${type?.int32(slots.int.bits) ?? 0}`;
}
