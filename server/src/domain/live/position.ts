/** Places in the sequence of batches as clients keep them: `SEQ.MARK`, or `SEQ.MARK.ROW` inside of a batch, in base 36. */
import type { ChangePosition } from '#storage/store';

const base = 36;
const form = /^[0-9a-z]{1,11}\.[0-9a-z]{1,7}(\.[0-9a-z]{1,11})?$/;

/** The text of a place. */
export function printPosition({ seq, mark, row }: ChangePosition): string {
  return [seq, mark, ...(row > 0 ? [row] : [])].map((number) => number.toString(base)).join('.');
}

/** The place of a text; null for any other text. */
export function parsePosition(text: string): ChangePosition | null {
  if (!form.test(text)) return null;
  const [seq, mark, row = 0] = text.split('.').map((part) => Number.parseInt(part, base));
  return Number.isSafeInteger(seq) && row <= 2 ** 53 ? { seq, mark, row } : null;
}

/** Whether a place lies after another one of the same sequence, or is it. */
export function isAtOrAfter(place: ChangePosition, other: ChangePosition): boolean {
  if (place.seq !== other.seq) return place.seq > other.seq;
  // Row 0 is after all rows of the batch.
  const rowOf = ({ row }: ChangePosition) => (row === 0 ? Number.POSITIVE_INFINITY : row);
  return rowOf(place) >= rowOf(other);
}
