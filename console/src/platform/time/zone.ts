/** Times as people read them: in the zone that they chose, with its offset. */
import { useMemo } from 'react';
import { usePreferences } from '../theme/preferences.ts';
import { offsetMs, printCivil, printOffset } from './civil.ts';

/** The zone of this browser. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

let instanceZone = browserZone;

/** Sets the zone of the instance: used where a person has chosen none. */
export function setInstanceZone(zone: string): void {
  instanceZone = zone;
}

/** The zone in which times are shown: the one chosen, or that of the instance. */
export function useZone(): string {
  return usePreferences().timeZone ?? instanceZone;
}

/** Every zone that this browser knows, UTC first. */
export function zoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];
}

/** The offset of a zone at an instant: `UTC+01:00`, `UTC` for none. */
export function offsetOf(zone: string, atMs: number): string {
  return printOffset(offsetMs(zone, atMs));
}

/** Prints timestamps in one zone. */
export interface Printer {
  /** `2026-11-20 10:33:15`. */
  second(ms: number): string;
  /** `2026-11-20 10:33:15.123 UTC+01:00`. */
  exact(ms: number): string;
  /** `2026-11-20`. */
  day(ms: number): string;
}

/** A printer for the chosen zone. */
export function usePrinter(): Printer {
  const zone = useZone();
  return useMemo(() => printerFor(zone), [zone]);
}

/** A printer for a zone. */
export function printerFor(zone: string): Printer {
  const second = (ms: number) => printCivil(zone, Math.floor(ms / 1000) * 1000);
  return {
    second,
    day: (ms) => second(ms).slice(0, 10),
    exact: (ms) => `${second(ms)}.${new Date(ms).toISOString().slice(-4, -1)} ${offsetOf(zone, ms)}`,
  };
}
