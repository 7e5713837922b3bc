/** Carrying out the plan of an answer with a rollup, a piece of the window at a time. */
import type { Frame } from '#model/frame';
import type { Rollup } from '#model/rollup';
import { runSteps, type Steps } from '#model/steps';
import { computeSeries } from './compute.ts';
import { emptyFrame, FrameBuilder, type RowRules } from './frame.ts';
import type { Plan } from './plan.ts';
import { type CallReader, readPiece } from './read.ts';
import { cutPieces, isEmpty, type Piece } from './window.ts';

/** The frame of a plan. Takes the memory of the plan first, and keeps that of the frame. */
export async function rolledUp(reader: CallReader, plan: Plan, rules: RowRules): Promise<Frame> {
  if (isEmpty(plan.shape.window)) return emptyFrame(plan.keys);
  await reader.memory.take(plan.bytes, reader.signal);
  return carryOut(reader, plan, rules);
}

/** The same within memory that was taken; what the frame does not need of it is given back. */
export async function carryOut(reader: CallReader, plan: Plan, rules: RowRules): Promise<Frame> {
  const { memory, runStep, signal } = reader;
  const builder = new FrameBuilder(rules, plan);
  for (const piece of cutPieces(plan.cutting)) {
    const rollups = await readPiece(reader, plan, piece);
    await runSteps(addRows(builder, plan, piece, rollups), runStep, signal);
  }
  const frame = await runSteps(builder.finish(), runStep, signal);
  memory.give(Math.max(0, plan.bytes - frame.bytes));
  return frame;
}

function* addRows(builder: FrameBuilder, plan: Plan, piece: Piece, rollups: readonly Rollup[]): Steps<void> {
  const { edgesUs, first, count } = piece;
  const columns = yield* computeSeries(plan, piece, rollups);
  yield* builder.add(edgesUs.subarray(first, first + count), columns);
}
