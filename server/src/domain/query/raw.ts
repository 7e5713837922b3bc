/** Frames of raw points (Q13): one row for each time at which one of the series has a point. */
import { smallBytesMax } from '#load/memory';
import { copied } from '#model/column-steps';
import { signalOf } from '#model/ending';
import { AppError, bug } from '#model/error';
import { Frame, type Points } from '#model/frame';
import { freeMemory } from '#model/free-memory';
import { runSteps, type Steps } from '#model/steps';
import type { FedItem } from '#storage/meta-store';
import { type AnswerShape, checkValues, explainRefusal } from './check.ts';
import type { ComputedPoints } from './computed-points.ts';
import { alignTo, emptyFrame, haveSameTimes, unionTimes } from './frame.ts';
import { type CallReader, readPoints } from './read.ts';
import type { DataQuery } from './request.ts';
import { isEmpty } from './window.ts';

/** What is asked of it. */
export interface RawRequest {
  items: readonly FedItem[];
  /** The points of those that are calculated. */
  computed: ComputedPoints;
  data: Pick<DataQuery, 'last' | 'outsidePoints'>;
  shape: AnswerShape;
}

/** Memory that is taken before reading. */
interface Reservation {
  /** More points are not read. */
  pointsMax: number;
  bytes: number;
}

/** A time and a value. */
const pointBytes = 16;
/** While times are merged, those of two levels of the merge exist: at most so much for each point. */
const mergeBytes = 16;
/** How many points a raw read tries with; a window that has more is read again with memory for more. The first is a small read. */
const pointsTried = [50_000, 500_000];

/**
 * One series for each item under its ID. Fails with `invalid-params` when it has too many values (L3).
 *
 * Memory is taken before it is used. How many points there are is not known before they are read, but a store stops early at a
 * limit: the limits grow up to that of the answer, so a read of few points never waits behind large ones. A call that holds points never waits for more memory, or calls could wait
 * for each other: where there is none at once, it gives everything back and begins again with a reservation for all.
 */
export async function rawFrame(reader: CallReader, request: RawRequest): Promise<Frame> {
  const { memory, signal } = reader;
  const { bytes: computedBytes } = request.computed;
  const giveComputed = () => computedBytes > 0 && memory.give(computedBytes);
  if (isEmpty(request.shape.window)) return emptyFrame(request.items.map(({ id }) => id));
  for (let reservation = await firstReservation(reader, request.shape); ; ) {
    const answer = await frameWithin(reservation, reader, request);
    giveComputed();
    if (answer instanceof Frame) return answer;
    await memory.take(answer.bytes + computedBytes, signalOf(signal));
    reservation = answer;
  }
}

/** Where memory is short, as much as a small request may take. */
async function firstReservation({ memory, signal }: CallReader, shape: AnswerShape): Promise<Reservation> {
  const first = nextReservation(0, shape);
  if (memory.tryTake(first.bytes)) return first;
  const small = reservationOf(smallBytesMax / pointBytes, shape);
  await memory.take(small.bytes, signalOf(signal));
  return small;
}

function nextReservation(pointsMax: number, shape: AnswerShape): Reservation {
  return reservationOf(pointsTried.find((points) => points > pointsMax) ?? Number.POSITIVE_INFINITY, shape);
}

function reservationOf(points: number, { limits }: AnswerShape): Reservation {
  const pointsMax = Math.min(points, limits.answerValuesMax);
  return { pointsMax, bytes: pointsMax * pointBytes };
}

/** The frame, in the memory reserved and what is free at once; else the reservation that it needs, with everything given back. */
async function frameWithin(
  { pointsMax, bytes }: Reservation,
  reader: CallReader,
  request: RawRequest,
): Promise<Frame | Reservation> {
  const { memory, runStep, signal } = reader;
  const points = await readWithin(pointsMax, reader, request);
  if (points === null) {
    memory.give(bytes);
    return nextReservation(pointsMax, request.shape);
  }
  let heldBytes = bytes;
  const hold = (neededBytes: number): boolean => {
    const isHeld = neededBytes <= heldBytes || memory.tryTake(neededBytes - heldBytes);
    if (isHeld) heldBytes = Math.max(heldBytes, neededBytes);
    return isHeld;
  };
  const isAlone = reader.series.givesArraysAlone === true && request.computed.points.size === 0;
  const frame = await runSteps(align(points, hold, request, isAlone), runStep, signal);
  memory.give(heldBytes - (frame?.bytes ?? 0));
  return frame ?? fullReservation(points, request.shape);
}

/** Null: there are more points. */
async function readWithin(
  pointsMax: number,
  reader: CallReader,
  { items, computed, data, shape }: RawRequest,
): Promise<Points[] | null> {
  const { window } = shape;
  const [before, after] = [data.outsidePoints, data.outsidePoints];
  const stored = items.filter(({ id }) => !computed.points.has(id));
  const sources = stored.map(({ signals }) => ({ signals, window, before, after }));
  try {
    const read = await readPoints(reader, { sources, valuesMax: pointsMax });
    const points = new Map([...computed.points, ...stored.map(({ id }, i) => [id, read[i]] as const)]);
    return items.map(({ id }) => points.get(id) ?? bug(`item ${id} was not read`));
  } catch (error) {
    const isTooSmall = pointsMax < shape.limits.answerValuesMax;
    if (isTooSmall && error instanceof AppError && error.kind === 'invalid-params') return null;
    throw explainRefusal(shape, error);
  }
}

/**
 * Null when `hold`, which is asked for all bytes that are needed then, has not got them. Where nothing else uses the points
 * (`areAlone`), those that the frame does not take over are freed.
 */
function* align(
  points: readonly Points[],
  hold: (bytes: number) => boolean,
  { items, data, shape }: RawRequest,
  areAlone: boolean,
): Steps<Frame | null> {
  const series = data.last > 0 ? yield* newest(points, data.last) : points;
  const pointsBytes = countPoints(points) * pointBytes;
  const isShared = yield* haveSameTimes(series);
  if (!isShared && !hold(pointsBytes + countPoints(series) * mergeBytes)) return null;
  const timesUs = yield* unionTimes(series);
  checkValues(shape, timesUs.length, series.length);
  if (!hold(pointsBytes + 8 * timesUs.length * (series.length + 1))) return null;
  const columns = new Map<string, Float64Array>();
  for (const [i, { id }] of items.entries()) columns.set(id, yield* alignTo(timesUs, series[i]));
  if (areAlone) freeOthers(points, new Set([timesUs, ...columns.values()]));
  return new Frame(timesUs, columns, areAlone);
}

function freeOthers(points: readonly Points[], kept: ReadonlySet<Float64Array>): void {
  for (const { timesUs, values } of points) {
    if (!kept.has(timesUs)) freeMemory(timesUs);
    if (!kept.has(values)) freeMemory(values);
  }
}

function* newest(points: readonly Points[], count: number): Steps<Points[]> {
  const found: Points[] = [];
  for (const { timesUs, values } of points)
    found.push({
      timesUs: yield* copied(timesUs.subarray(-count)),
      values: yield* copied(values.subarray(-count)),
    });
  return found;
}

/** What any frame of these points needs. */
function fullReservation(points: readonly Points[], { limits }: AnswerShape): Reservation {
  const count = countPoints(points);
  const valuesMax = Math.min(limits.answerValuesMax, count * points.length);
  return { pointsMax: count, bytes: count * (pointBytes + mergeBytes) + 8 * valuesMax };
}

function countPoints(points: readonly Points[]): number {
  return points.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
}
