/** Collects points in any order, and makes data frames of them that a request can carry. */
import { Frame } from '#model/frame';

/** Points of one batch. */
const pointsMax = 100_000;
/** Values of one frame, those that are empty included: 4 MB of Arrow. */
const cellsMax = 400_000;
/** Series of one frame; a call takes 10,000. */
const keysMax = 5_000;

/** Points by input key. */
export class PointBatch {
  readonly #keys: string[] = [];
  readonly #numbers = new Map<string, number>();
  #columns: { timesUs: number[]; values: number[] }[] = [];
  #count = 0;

  /** Adds a point; whether the batch is full. */
  add(key: string, timeUs: number, value: number): boolean {
    const column = this.#columnOf(key);
    column.timesUs.push(timeUs);
    column.values.push(value);
    return ++this.#count >= pointsMax;
  }

  /** How many points have been collected. */
  get count(): number {
    return this.#count;
  }

  /** Gives what has been collected as frames, and begins anew. Of points at the same time the later one counts. */
  *take(): Generator<Frame, void, void> {
    let keys: string[] = [];
    let rows = new Map<number, number>();
    const all = this.#keys.splice(0);
    const columns = this.#columns.splice(0);
    const byKey = new Map(all.map((key, i) => [key, columns[i]]));
    this.#numbers.clear();
    this.#count = 0;
    for (const [key, { timesUs }] of byKey) {
      const more = new Set(timesUs).difference(rows).size;
      const cells = (rows.size + more) * (keys.length + 1);
      if (keys.length > 0 && (cells > cellsMax || keys.length >= keysMax)) {
        yield frameOf(keys, byKey, rows);
        keys = [];
        rows = new Map();
      }
      keys.push(key);
      for (const us of timesUs) if (!rows.has(us)) rows.set(us, rows.size);
    }
    if (keys.length > 0) yield frameOf(keys, byKey, rows);
  }

  #columnOf(key: string) {
    const known = this.#numbers.get(key);
    if (known !== undefined) return this.#columns[known];
    const column = { timesUs: [], values: [] };
    this.#numbers.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#columns.push(column);
    return column;
  }
}

function frameOf(
  keys: readonly string[],
  columns: ReadonlyMap<string, { timesUs: number[]; values: number[] }>,
  rows: ReadonlyMap<number, number>,
): Frame {
  const series = new Map<string, Float64Array>();
  for (const key of keys) {
    const { timesUs, values } = columns.get(key) ?? { timesUs: [], values: [] };
    const column = new Float64Array(rows.size).fill(Number.NaN);
    for (let i = 0; i < timesUs.length; i++) column[rows.get(timesUs[i]) ?? 0] = values[i];
    series.set(key, column);
  }
  return new Frame(Float64Array.from(rows.keys()), series);
}

/** Two frames of half the rows each, for a service that takes smaller requests; null when there is one row only. */
export function halveFrame({ timesUs, series }: Frame): [Frame, Frame] | null {
  if (timesUs.length < 2) return null;
  const middle = timesUs.length >> 1;
  const part = (start: number, end: number) =>
    new Frame(
      timesUs.slice(start, end),
      new Map([...series].map(([key, values]) => [key, values.slice(start, end)])),
    );
  return [part(0, middle), part(middle, timesUs.length)];
}
