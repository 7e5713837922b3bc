/** The reading side of the service: window → plan → read → compute → frame. */
import { unlimitedReadMemory } from '#load/read-memory';
import type { Clock } from '#model/environment';
import type { Frame } from '#model/frame';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { runAtOnce } from '#model/steps';
import type { FedItem, MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { type AnswerShape, checkData, checkEvaluate } from './check.ts';
import { computedPoints } from './computed-points.ts';
import type { InputItems } from './derived.ts';
import { lookUpInputs } from './inputs.ts';
import { columnsOfItem, planAnswer } from './plan.ts';
import { rawFrame } from './raw.ts';
import { type CallReader, itemsBehind, lookUpColumns } from './read.ts';
import type {
  DataQuery,
  EvaluateRequest,
  Evaluation,
  FrameRequest,
  ItemFrame,
  ReadFacts,
  ReadOptions,
} from './request.ts';
import { rolledUp } from './rolled-up.ts';

/** The parts that the reading side works with. */
export interface QueryParts {
  meta: Pick<MetaReads, 'signals' | 'items'>;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
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
    const inputs = await lookUpInputs(items, { meta, limits, path: shape.path });
    const frame = await frameOfItems(reader, { items, inputs, data: request.data, shape });
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
    const items = columns.flatMap(({ members }) => members);
    const inputs = await lookUpInputs(items, { meta, limits, path: 'items' });
    const plan = planAnswer(columns, calculations, data.series, shape, inputs);
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

/** Items whose data are asked for, and how. */
interface ItemsRequest {
  items: readonly FedItem[];
  inputs: InputItems;
  data: DataQuery;
  shape: AnswerShape;
}

/** Raw points, or statistics of them. */
async function frameOfItems(
  reader: CallReader,
  { items, inputs, data, shape }: ItemsRequest,
): Promise<Frame> {
  const { series } = data;
  if (shape.rule === null) {
    const wanted = series === null ? items : items.filter(({ id }) => series.includes(id));
    const hasOutside = data.outsidePoints;
    const computed = await computedPoints(reader, { items: wanted, inputs, shape, hasOutside });
    return rawFrame(reader, { items: wanted, computed, data, shape });
  }
  const columns = items.flatMap((item) => columnsOfItem(item, shape.form));
  return rolledUp(reader, planAnswer(columns, [], series, shape, inputs), data);
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
