/** Times as people read them: in the zone that they chose, with its offset. */
import { useMemo } from 'react';
import { usePreferences } from '../theme/preferences.ts';

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

/** The offset of a zone at a moment: `UTC+01:00`, `UTC` for none. */
export function offsetOf(zone: string, atMs: number): string {
  const parts = formatter(zone, { timeZoneName: 'longOffset' }).formatToParts(atMs);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  return name.replace('GMT', 'UTC').replace('−', '-');
}

/** Prints moments in one zone. */
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
  const format = formatter(zone, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const read = (ms: number) =>
    Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const day = (ms: number) => {
    const part = read(ms);
    return `${part.year}-${part.month}-${part.day}`;
  };
  const second = (ms: number) => {
    const part = read(ms);
    return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}`;
  };
  const exact = (ms: number) => {
    const millis = ((Math.trunc(ms) % 1000) + 1000) % 1000;
    return `${second(ms)}.${String(millis).padStart(3, '0')} ${offsetOf(zone, ms)}`;
  };
  return { day, second, exact };
}

const made = new Map<string, Intl.DateTimeFormat>();

/** Formatters are costly to make, so each is made once. */
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const found = made.get(key);
  if (found) return found;
  const format = new Intl.DateTimeFormat('en-CA', { ...options, timeZone: zone });
  made.set(key, format);
  return format;
}
