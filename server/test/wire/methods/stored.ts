/** What the cases of the reading operations find: three published signals with a few points on one day. */
import { type Call, type IdOf, owner } from './plant.ts';

/** The day of the points. */
export const day = { $gte: '2026-02-28T00:00:00Z', $lt: '2026-03-01T00:00:00Z' };

/** A time of that day. */
export function at(time: string): string {
  return `2026-02-28T${time}Z`;
}

/** Two numeric items, `Ann` and `Bob`, and `Sam`, which has states; their input keys are `a`, `b` and `s`. */
export const stored: readonly Call[] = [
  {
    method: 'integration.insert',
    params: {
      integration: owner,
      data: {
        times: [at('06:00:00'), at('06:10:00'), at('07:00:00'), at('09:00:00')],
        series: { a: [1, 2, 6, 8], b: [null, 5, 10, null], s: [0, null, 1, 0] },
      },
    },
  },
  {
    method: 'admin.publishSignals',
    params: (id: IdOf) => ({
      integration: owner,
      itemsBySignal: {
        [id('a')]: { name: 'Ann', labels: { site: ['x'] } },
        [id('b')]: { name: 'Bob', labels: { site: ['x', 'y'] } },
        [id('s')]: {
          name: 'Sam',
          type: 'enum',
          enumValues: { 0: 'off', 1: 'on', 2: 'broken' },
          gapDetection: 'PT1H',
        },
      },
    }),
  },
];
