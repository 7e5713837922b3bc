/** The reading side of the service: window → plan → read → compute → frame. */
import { unlimitedReadMemory } from '#load/read-memory';
import type { Clock } from '#model/environment';
import type { Frame } from '#model/frame';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Rollup } from '#model/rollup';
import { runAtOnce, runSteps, type Steps } from '#model/steps';
import type { FedItem, MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { type AnswerShape, checkData, checkEvaluate } from './check.ts';
import { computeSeries } from './compute.ts';
import { emptyFrame, FrameBuilder } from './frame.ts';
import { columnsOfItem, type Plan, planAnswer } from './plan.ts';
import { type RawReader, rawFrame } from './raw.ts';
import { itemsBehind, lookUpColumns, readPiece } from './read.ts';
import type {
  DataQuery,
  EvaluateRequest,
  Evaluation,
  FrameRequest,
  ItemFrame,
  ReadFacts,
  ReadOptions,
} from './request.ts';
import { cutPieces, isEmpty, type Piece } from './window.ts';

/** The parts that the reading side works with. */
export interface QueryParts {
  meta: Pick<MetaReads, 'signals' | 'items'>;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
}

/** What one call reads with. */
interface CallReader extends RawReader {
  /** The time of the call, µs. */
  nowUs: number;
}

/**
 * Reads data. Everything about the request that can be checked without reading is checked first, all together (E2). Then the
 * items and their signals are looked up, the answer is planned, and the series store is read: once, or once for each piece of
 * a long window.
 */
export class Query {
  readonly #parts: QueryParts;

  constructor(parts: QueryParts) {
    this.#parts = parts;
  }

  /** The data half of the flat form (Q7). Fails with `invalid-params` by path. */
  selectData(request: FrameRequest, options?: ReadOptions): Promise<ItemFrame> {
    return this.#itemFrame('flat', request, options);
  }

  /** A data frame of items (Q7, Q8). Fails with `invalid-params` by path. */
  dataFrame(request: FrameRequest, options?: ReadOptions): Promise<ItemFrame> {
    return this.#itemFrame('data-frame', request, options);
  }

  async #itemFrame(
    form: 'flat' | 'data-frame',
    request: FrameRequest,
    options: ReadOptions = {},
  ): Promise<ItemFrame> {
    const { meta, limits } = this.#parts;
    const { problems = new ProblemList(), signal, onFacts } = options;
    const reader = this.#readerFor(options);
    const scope = { form, limits, nowUs: reader.nowUs, rolledUpCount: 0 };
    const checked = checkData(request, scope, problems);
    problems.throwIfAny();
    const { records: items, total } = await meta.items.selectFed(request.query, signal);
    onFacts?.({ items: items.length });
    const shape = { ...checked, rolledUpCount: items.length * 5 };
    const frame = await frameOfItems(reader, items, request.data, shape);
    return { frame: reported(frame, onFacts), items, total };
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path. */
  async evaluate(request: EvaluateRequest, options: ReadOptions = {}): Promise<Evaluation> {
    const { meta, limits } = this.#parts;
    const { problems = new ProblemList(), signal, onFacts } = options;
    const reader = this.#readerFor(options);
    const { shape, calculations } = checkEvaluate(request, { limits, nowUs: reader.nowUs }, problems);
    problems.throwIfAny();
    const columns = await lookUpColumns(request, { meta, limits, signal });
    const { data } = request;
    const plan = planAnswer(columns, calculations, data.series, shape);
    const frame = await rolledUp(reader, plan, data);
    return { frame: reported(frame, onFacts), items: itemsBehind(columns) };
  }

  #readerFor({ signal, memory, runStep, onFacts }: ReadOptions): CallReader {
    return {
      series: this.#parts.series,
      nowUs: this.#parts.clock.nowUs(),
      memory: memory ?? unlimitedReadMemory,
      runStep: runStep ?? runAtOnce,
      signal,
      onFacts: onFacts && summed(onFacts),
    };
  }
}

/** Raw points, or statistics of them. */
function frameOfItems(
  reader: CallReader,
  items: readonly FedItem[],
  data: DataQuery,
  shape: AnswerShape,
): Promise<Frame> {
  const { series } = data;
  if (shape.rule === null) {
    const wanted = series === null ? items : items.filter(({ id }) => series.includes(id));
    return rawFrame(reader, { items: wanted, data, shape });
  }
  const columns = items.flatMap((item) => columnsOfItem(item, shape.form));
  return rolledUp(reader, planAnswer(columns, [], series, shape), data);
}

/** Carries out a plan, a piece of the window at a time. */
async function rolledUp(reader: CallReader, plan: Plan, data: DataQuery): Promise<Frame> {
  const { shape, cutting, bytes } = plan;
  const { memory, runStep, signal } = reader;
  if (isEmpty(shape.window)) return emptyFrame(plan.keys);
  await memory.take(bytes, signal);
  const builder = new FrameBuilder(data, plan);
  for (const piece of cutPieces(cutting)) {
    const rollups = await readPiece(reader, plan, piece);
    await runSteps(addRows(builder, plan, piece, rollups), runStep, signal);
  }
  const frame = await runSteps(builder.finish(), runStep, signal);
  memory.give(Math.max(0, bytes - frame.bytes));
  return frame;
}

function* addRows(builder: FrameBuilder, plan: Plan, piece: Piece, rollups: readonly Rollup[]): Steps<void> {
  const { edgesUs, first, count } = piece;
  const columns = yield* computeSeries(plan, piece, rollups);
  yield* builder.add(edgesUs.subarray(first, first + count), columns);
}

function reported(frame: Frame, onFacts: ReadOptions['onFacts']): Frame {
  onFacts?.({ rows: frame.timesUs.length, series: frame.series.size });
  return frame;
}

/** Sums up the costs of the pieces of one call. */
function summed(onFacts: (facts: ReadFacts) => void): (facts: ReadFacts) => void {
  const sums = { buckets: 0, blocks: 0, points: 0 };
  return (facts) => {
    const total = { ...facts };
    for (const key of ['buckets', 'blocks', 'points'] as const) {
      const more = facts[key];
      if (more !== undefined) total[key] = sums[key] += more;
    }
    onFacts(total);
  };
}
