/** The reading side of the service: window → plan → read → compute → frame. */
import { type CheckedCalculation, checkCalculations } from '#domain/formula/formula';
import { unlimitedReadMemory } from '#load/read-memory';
import type { Clock } from '#model/environment';
import type { Frame } from '#model/frame';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Rollup } from '#model/rollup';
import { runAtOnce, runSteps, type Steps } from '#model/steps';
import type { FedItem, MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { checkData, checkEvaluate } from './check.ts';
import { type AnswerShape, explainRefusal, pieceStatesMax } from './cost.ts';
import { planEvaluation, returnedAliases } from './evaluation-plan.ts';
import { emptyFrame, FrameBuilder } from './frame.ts';
import { planItems } from './item-plan.ts';
import { itemsBehind, lookUpColumns } from './lookup.ts';
import { bucketUsMin, cutPieces, type Piece } from './pieces.ts';
import type { Plan } from './plan.ts';
import { type RawReader, rawFrame } from './raw.ts';
import { readRollups, toSource } from './read.ts';
import type {
  DataQuery,
  EvaluateRequest,
  Evaluation,
  FrameRequest,
  ItemFrame,
  ReadFacts,
  ReadOptions,
} from './request.ts';
import { isEmpty } from './window.ts';

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
    const check = { form, limits, nowUs: reader.nowUs, rolledUpCount: 0 };
    const { shape, bucketCount } = checkData(request, check, problems);
    problems.throwIfAny();
    const { records: items, total } = await meta.items.selectFed(request.query, signal);
    onFacts?.({ items: items.length });
    const known = { ...shape, rolledUpCount: items.length * 5 };
    const { data } = request;
    const frame = await (shape.rule === null
      ? raw(reader, items, data, known)
      : rolledUp(reader, planItems(items, data.series, known, bucketCount), data));
    return { frame: reported(frame, onFacts), items, total };
  }

  /** Aggregations, groups and formulas (Q9-Q12). Fails with `invalid-params` by path. */
  async evaluate(request: EvaluateRequest, options: ReadOptions = {}): Promise<Evaluation> {
    const { items, groups, calculations, data } = request;
    const { meta, limits } = this.#parts;
    const { problems = new ProblemList(), signal, onFacts } = options;
    const reader = this.#readerFor(options);
    const returned = returnedAliases([...items, ...groups, ...calculations], data.series);
    checkEvaluate(request, limits, problems);
    const check = { form: 'evaluate', limits, nowUs: reader.nowUs, rolledUpCount: returned.length } as const;
    const { shape, bucketCount } = checkData(request, check, problems);
    const checked = checkFormulas(request, limits, problems);
    problems.throwIfAny();
    const columns = await lookUpColumns(request, { meta, limits, signal });
    const plan = planEvaluation(columns, checked, returned, shape, bucketCount);
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

function checkFormulas(
  { items, groups, calculations, data }: EvaluateRequest,
  limits: Limits,
  problems: ProblemList,
): CheckedCalculation[] {
  if (calculations.length > limits.calculationsMax) return [];
  const signals = new Set([...items, ...groups].map(({ alias }) => alias));
  const usMin = data.rollup === null ? null : bucketUsMin(data.rollup);
  return checkCalculations(calculations, { signals, bucketUsMin: usMin, limits }, problems);
}

/** Raw points of the items that are returned. */
async function raw(
  reader: CallReader,
  items: readonly FedItem[],
  data: DataQuery,
  shape: AnswerShape,
): Promise<Frame> {
  const { series } = data;
  const wanted = series === null ? items : items.filter(({ id }) => series.includes(id));
  if (isEmpty(shape.window)) return emptyFrame(wanted.map(({ id }) => id));
  return rawFrame(reader, { items: wanted, data, shape });
}

/** Carries out a plan, a piece of the window at a time. */
async function rolledUp(reader: CallReader, plan: Plan, data: DataQuery): Promise<Frame> {
  const { rule, shape, reach, bucketsAtOnce, bytes } = plan;
  const { memory, runStep, signal } = reader;
  if (isEmpty(shape.window)) return emptyFrame(plan.keys);
  await memory.take(bytes, signal);
  const builder = new FrameBuilder(data, plan);
  for (const piece of cutPieces(rule, shape.window, bucketsAtOnce, reach)) {
    const rollups = await readPiece(reader, plan, piece);
    await runSteps(addRows(builder, plan, piece, rollups), runStep, signal);
  }
  const frame = await runSteps(builder.finish(), runStep, signal);
  memory.give(Math.max(0, bytes - frame.bytes));
  return frame;
}

async function readPiece(reader: CallReader, { sources, shape }: Plan, piece: Piece): Promise<Rollup[]> {
  const request = {
    sources: sources.map((source) => toSource(source, piece)),
    buckets: piece.buckets,
    nowUs: reader.nowUs,
    valuesMax: pieceStatesMax,
  };
  try {
    return await readRollups(reader, request);
  } catch (error) {
    throw explainRefusal(shape, error);
  }
}

function* addRows(builder: FrameBuilder, plan: Plan, piece: Piece, rollups: readonly Rollup[]): Steps<void> {
  const { edgesUs, first, count } = piece;
  const columns = yield* plan.compute(piece, rollups);
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
