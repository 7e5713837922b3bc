/** Random batches and reads, for comparing stores of points. */
import fc from 'fast-check';
import type { ScanRequest } from '#storage/store';

/** One of four signals. */
export const signal = fc.integer({ min: 1, max: 4 });

/** Mostly growing, often late, sometimes far away; values with awkward ones among them. */
export const batch = fc
  .record({
    startUs: fc.integer({ min: -20_000, max: 20_000 }),
    steps: fc.oneof(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 2000 }).map((length) => new Array<number>(length).fill(10)),
    ),
    signals: fc.uniqueArray(signal, { minLength: 1, maxLength: 4 }),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ startUs, steps, signals, seed }) => {
    const timesUs = new Float64Array(steps.length);
    let timeUs = startUs;
    steps.forEach((step, i) => {
      timeUs += step;
      timesUs[i] = timeUs;
    });
    const values = new Float64Array(signals.length * steps.length);
    for (let i = 0; i < values.length; i++) values[i] = valueAt(i, seed);
    return { timesUs, signals, values };
  });

function valueAt(i: number, seed: number): number {
  const hash = Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503);
  if (hash % 11 === 0) return Number.NaN;
  if (hash % 13 === 0) return -0;
  return seed % 3 === 0 ? (hash % 6) + 0 : (hash % 10_000) / 100;
}

/** A window near the points, possibly empty. */
export const window = fc
  .tuple(fc.integer({ min: -25_000, max: 45_000 }), fc.integer({ min: -10, max: 50_000 }))
  .map(([startUs, length]) => ({ startUs, endUs: startUs + length }));

/** A read of up to three sources. */
export const request: fc.Arbitrary<ScanRequest> = fc
  .array(
    fc.record({
      signals: fc.uniqueArray(signal, { minLength: 1, maxLength: 2 }),
      window,
      before: fc.boolean(),
      after: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((sources) => ({ sources }));
