/** Carrying out the plan of an answer with a rollup, a piece of the window at a time. */
import { signalOf } from '#model/ending';
import { bug } from '#model/error';
import type { Frame } from '#model/frame';
import type { Rollup } from '#model/rollup';
import { runSteps, type Steps } from '#model/steps';
import { computeSeries } from './compute.ts';
import { emptyFrame, FrameBuilder, type RowRules } from './frame.ts';
import type { Plan } from './plan.ts';
import { type CallReader, readPiece } from './read.ts';
import { cutPieces, isEmpty, type Piece } from './window.ts';

/** So little memory is nearly always there at once, bytes. */
const smallPlanBytes = 64 * 1024;

/** The frame of a plan. Takes the memory of the plan first, and keeps that of the frame. */
export async function rolledUp(reader: CallReader, plan: Plan, rules: RowRules): Promise<Frame> {
  if (isEmpty(plan.shape.window)) return emptyFrame(plan.keys);
  const { memory, signal } = reader;
  const isTaken = plan.bytes < smallPlanBytes && memory.tryTake(plan.bytes);
  if (!isTaken) await memory.take(plan.bytes, signalOf(signal));
  return carryOut(reader, plan, rules);
}

/** The same within memory that was taken; what the frame does not need of it is given back. */
export async function carryOut(reader: CallReader, plan: Plan, rules: RowRules): Promise<Frame> {
  const { memory, runStep, signal } = reader;
  const builder = new FrameBuilder(rules, plan);
  for await (const piece of cutPieces(plan.cutting, runStep)) {
    const rollups = await readPiece(reader, plan, piece);
    const frame = await runSteps(addRows(builder, plan, piece, rollups), runStep, signal);
    if (frame !== null) {
      memory.give(Math.max(0, plan.bytes - frame.bytes));
      return frame;
    }
    signalOf(signal)?.throwIfAborted();
  }
  return bug('a window that is not empty has a last piece');
}

/** Adds the rows of a piece; after the last one the frame, else null. */
function* addRows(
  builder: FrameBuilder,
  plan: Plan,
  piece: Piece,
  rollups: readonly Rollup[],
): Steps<Frame | null> {
  const { edgesUs, first, count } = piece;
  const columns = yield* computeSeries(plan, piece, rollups);
  yield* builder.add(edgesUs.subarray(first, first + count), columns);
  return piece.window.endUs < plan.cutting.window.endUs ? null : yield* builder.finish();
}
