/** Reads the schema of a stream: a column of times, and a column of numbers for each series. */
import { crc32 } from 'node:zlib';
import { LruCache } from '#model/lru-cache';
import { ProblemList, quote } from '#model/problem-list';
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

/** Total size of cached schemas, bytes as they were sent: about 50,000 columns. */
const cachedBytesMax = 4 * 1024 * 1024;

/** Reads schemas, and caches recent ones: clients send the same one with each stream. */
export class SchemaReader {
  readonly #known = new LruCache<string, KnownSchema>(cachedBytesMax, ({ bytes }) => bytes.length);

  /** Reads a message with a schema. `invalid-params` when it has other columns, or more than `seriesMax` series. */
  read(metadata: Uint8Array, header: FlatTable, seriesMax: number): StreamSchema {
    if (header.int16(slots.schema.endianness) !== 0) throw streamFault('its numbers must be little-endian');
    const seriesCount = header.count(slots.schema.fields) - 1;
    if (seriesCount > seriesMax) throw tooManySeries(seriesMax, seriesCount);
    const key = `${metadata.length} ${crc32(metadata)}`;
    const known = this.#known.get(key);
    if (known !== undefined && Buffer.compare(known.bytes, metadata) === 0) return known.schema;
    const schema = readSchema(header);
    this.#known.set(key, { bytes: new Uint8Array(metadata), schema });
    return schema;
  }
}

function tooManySeries(max: number, count: number) {
  const problems = new ProblemList();
  problems.add(['data', 'series'], `must have at most ${max} members, got ${count}`);
  return problems.toError();
}

function readSchema(header: FlatTable): StreamSchema {
  const problems = new ProblemList();
  const fields = [...header.tables(slots.schema.fields)];
  const names = fields.map((field) => field.text(slots.field.name) ?? '');
  const known = new Set<string>();
  const types = fields.map((field, i) => {
    if (i === 0) return readTimeField(field, names[0], problems);
    const path = ['data', 'series', names[i]];
    if (known.has(names[i]) || names[i] === names[0])
      problems.add(path, 'the stream has two columns of this name');
    known.add(names[i]);
    return readNumberField(field, path, problems);
  });
  if (fields.length === 0) noteTimeProblem('there is no column', problems);
  problems.throwIfAny();
  const all = types.filter((type) => type !== null);
  return { keys: [...known], types: all, rowBytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
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
