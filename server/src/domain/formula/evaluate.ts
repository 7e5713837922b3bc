/** Runs programs over columns, in pieces between which other work can run. */
import { computed } from '#model/column-steps';
import { bug } from '#model/error';
import { newColumn } from '#model/small-columns';
import { inPieces, type Steps } from '#model/steps';
import type { Pointwise, Value } from './kernel.ts';
import type { Program, Step } from './program.ts';
import type { Grid } from './series.ts';

/** Rows of one piece: three columns of it fit into a second-level cache. */
const pieceRows = 8192;

const noNumbers = new Float64Array(0);

/** The state shared by the programs of one request: the buckets, the columns by name, and scratch columns. */
export class Workspace {
  readonly grid: Grid;
  /** Values by alias or variable; each as long as the grid. Programs read them and never write. */
  readonly columns = new Map<string, Float64Array>();
  readonly rows: number;
  readonly #free: Float64Array[] = [];
  /** The columns that this workspace made, and may therefore overwrite. */
  readonly #own = new Set<Float64Array>();
  /** Numbers spread over one piece, for the operands that are no column. */
  readonly #spread = [noNumbers, noNumbers, noNumbers];

  constructor(grid: Grid) {
    this.grid = grid;
    this.rows = grid.edgesUs.length - 1;
  }

  /** A column to write into; what is in it is arbitrary. */
  take(): Float64Array {
    const column = this.#free.pop() ?? newColumn(this.rows);
    this.#own.add(column);
    return column;
  }

  /** Releases a value; only columns of the workspace are reused. */
  give(value: Value): void {
    if (typeof value !== 'number' && this.#own.delete(value)) this.#free.push(value);
  }

  /** Whether this column may be overwritten. */
  owns(value: Value): value is Float64Array {
    return typeof value !== 'number' && this.#own.has(value);
  }

  /** Keeps a column: it is not the workspace's any more. */
  keep(column: Float64Array): void {
    this.#own.delete(column);
  }

  /** Takes back a kept column that no name is needed for any more. */
  reclaim(name: string): void {
    const column = this.columns.get(name);
    if (column !== undefined && this.columns.delete(name)) this.#free.push(column);
  }

  /** A value as a column from `start` to `end`; `place` (0-2) is the index of the operand. */
  piece(value: Value, start: number, end: number, place: number): Float64Array {
    if (typeof value !== 'number') {
      return start === 0 && end === value.length ? value : value.subarray(start, end);
    }
    const length = end - start;
    if (this.#spread[place].length < length) this.#spread[place] = newColumn(Math.min(this.rows, pieceRows));
    return this.#spread[place].subarray(0, length).fill(value);
  }
}

/** Runs a program; the result is a new column without infinities and -0. */
export function* run(program: Program, workspace: Workspace): Steps<Float64Array> {
  const stack: Value[] = [];
  for (const step of program.steps) {
    if (step.kind === 'number') stack.push(step.value);
    else if (step.kind === 'column') stack.push(yield* columnOf(step.name, workspace));
    else if (step.kind === 'series') stack.push(yield* lookAround(step, stack.pop()!, workspace));
    else stack.push(yield* bucketwise(step.operation, stack.splice(-step.operation.arity), workspace));
  }
  return yield* finish(stack[0], workspace);
}

/** The values of an alias, or of a variable, which is made when it is first wanted. */
function* columnOf(name: string, { columns, grid }: Workspace): Steps<Float64Array> {
  const known = columns.get(name);
  if (known !== undefined) return known;
  const column = yield* variableColumn(name, grid.edgesUs);
  columns.set(name, column);
  return column;
}

/** A function of other buckets. It writes to a column of its own, as it reads what is around each bucket. */
function* lookAround(
  step: Step & { kind: 'series' },
  operand: Value,
  workspace: Workspace,
): Steps<Float64Array> {
  const out = workspace.take();
  const x = typeof operand === 'number' ? yield* spread(operand, workspace) : operand;
  yield* step.kernel(out, x, step.n, workspace.grid, step.weight);
  workspace.give(x);
  return out;
}

/** A function of each bucket alone, over an operand's column where that may be overwritten. */
function* bucketwise(
  operation: Pointwise,
  operands: readonly Value[],
  workspace: Workspace,
): Steps<Float64Array> {
  const out = operands.find((operand) => workspace.owns(operand)) ?? workspace.take();
  if (typeof out === 'number') bug('a number owns no column');
  const [a, b = a, c = a] = operands;
  for (let start = 0; start < workspace.rows; start += pieceRows) {
    const end = Math.min(start + pieceRows, workspace.rows);
    operation.column(
      workspace.piece(out, start, end, 0),
      workspace.piece(a, start, end, 0),
      workspace.piece(b, start, end, 1),
      workspace.piece(c, start, end, 2),
    );
    yield operation.weight * (end - start);
  }
  for (const operand of operands) if (operand !== out) workspace.give(operand);
  return out;
}

/** The result as an unshared column. Adding 0 turns -0 into 0. */
function* finish(result: Value, workspace: Workspace): Steps<Float64Array> {
  const out =
    typeof result === 'number'
      ? yield* spread(result + 0, workspace)
      : workspace.owns(result)
        ? result
        : workspace.take();
  if (typeof result !== 'number')
    yield* inPieces(out.length, 2, (from, to) => {
      for (let i = from; i < to; i++) out[i] = result[i] + 0;
    });
  workspace.keep(out);
  return out;
}

/** A column of one number. */
function* spread(value: number, workspace: Workspace): Steps<Float64Array> {
  const column = workspace.take();
  yield* inPieces(column.length, 1, (from, to) => column.fill(value, from, to));
  return column;
}

/** The values of a variable (F1). */
function variableColumn(name: string, edgesUs: Float64Array): Steps<Float64Array> {
  const count = edgesUs.length - 1;
  if (name === 'time_seconds') return computed(count, (i) => edgesUs[i] / 1e6);
  if (name === 'bucket_seconds') return computed(count, (i) => (edgesUs[i + 1] - edgesUs[i]) / 1e6);
  return bug(`no column for "${name}"`);
}
