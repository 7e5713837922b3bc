/** Three items with known values in the hours of the first four days of 2026. */
import { openConsole } from './console.ts';
import { storeItem } from './stored.ts';
import { hour as hourMs } from './times.ts';

/** The first of the hours. */
export const firstMs = Date.parse('2026-01-01T00:00:00Z');
/** The hours, from 0. */
export const hours = Array.from({ length: 96 }, (_, i) => i);
/** The parameters of a place that shows all of them. */
export const fourDays = 'from=2026-01-01T00:00:00Z&to=2026-01-05T00:00:00Z&zone=UTC';

/** The state in an hour: two of every three it runs (1), else it is idle (0); from hour 50 to 54 it has a fault (2). */
export const modeAt = (hour: number) => (hour >= 50 && hour < 55 ? 2 : hour % 3 === 0 ? 0 : 1);

/** The ID of the item with the number of the hour, in metres. */
export let ramp: string;
/** Its square, in bar. */
export let square: string;
/** Idle, running, fault. */
export let mode: string;

/** Starts a service that has these items only; `prepare` prepares more. */
export function openWithKnown(prepare?: () => Promise<void>): void {
  openConsole({
    setup: 'empty',
    prepare: async () => {
      await storeKnown();
      await prepare?.();
    },
  });
}

async function storeKnown(): Promise<void> {
  const interval = { sampleInterval: 'PT1H', gapDetection: 'PT2H' };
  const enumValues = { 0: 'idle', 1: 'running', 2: 'fault' };
  const timesS = hours.map((i) => (firstMs + i * hourMs) / 1000);
  const squares = hours.map((i) => i * i);
  ramp = await storeItem({ name: 'Ramp', engUnit: 'm', labels: { hall: ['7'] }, ...interval }, timesS, hours);
  square = await storeItem({ name: 'Square', engUnit: 'bar', ...interval }, timesS, squares);
  mode = await storeItem(
    { name: 'Mode', valueType: 'enum', enumValues, ...interval },
    timesS,
    hours.map(modeAt),
  );
}
