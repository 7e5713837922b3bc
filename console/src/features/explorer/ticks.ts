/** Where the marks of axes are and their labels: times on the calendar of a zone, and round numbers. */
import { addCivil, type CivilUnit, civilOf, instantOf, pad, startOf } from '../../platform/time/civil.ts';

/** A mark of the time axis. */
export interface Tick {
  ms: number;
  /** `10:30`, `10:30:05.250`, `20 Nov`, `2026`. */
  text: string;
  /** The coarser part where it changes: the date under the first mark of a day. Empty elsewhere. */
  context: string;
}

interface Step {
  count: number;
  unit: CivilUnit | 'ms';
  ms: number;
}

const steps: readonly Step[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => ({ count: n, unit: 'ms' as const, ms: n })),
  ...[1, 2, 5, 10, 15, 30].map((n) => ({ count: n, unit: 's' as const, ms: n * 1000 })),
  ...[1, 2, 5, 10, 15, 30].map((n) => ({ count: n, unit: 'm' as const, ms: n * 60_000 })),
  ...[1, 2, 3, 6, 12].map((n) => ({ count: n, unit: 'h' as const, ms: n * 3_600_000 })),
  ...[1, 2].map((n) => ({ count: n, unit: 'd' as const, ms: n * 86_400_000 })),
  { count: 1, unit: 'w', ms: 7 * 86_400_000 },
  ...[1, 2, 3, 6].map((n) => ({ count: n, unit: 'M' as const, ms: n * 30.4 * 86_400_000 })),
  ...[1, 2, 5, 10, 20, 50, 100].map((n) => ({ count: n, unit: 'y' as const, ms: n * 365.25 * 86_400_000 })),
];

interface AxisFacts {
  fromMs: number;
  toMs: number;
  zone: string;
  /** At most so many marks. */
  countMax: number;
  firstDay?: number;
}

/** The marks of a time axis. Each is a round time of the zone, also across a change of its clocks. */
export function timeTicks({ fromMs, toMs, zone, countMax, firstDay = 1 }: AxisFacts): Tick[] {
  const step = steps.find(({ ms }) => (toMs - fromMs) / ms <= Math.max(1, countMax)) ?? steps.at(-1)!;
  const marks: Tick[] = [];
  let context = '';
  for (let ms = firstMark(fromMs, step, zone, firstDay); ms <= toMs && marks.length < 200; ) {
    const tick = print(ms, step, zone);
    marks.push({ ms, text: tick.text, context: tick.context === context ? '' : tick.context });
    context = tick.context;
    ms = nextMark(ms, step, zone);
  }
  return marks;
}

/** Round numbers from `low` to `high`, at most `countMax` of them or a few more. */
export function valueTicks(low: number, high: number, countMax: number): number[] {
  const range = high - low;
  if (!(range > 0) || !Number.isFinite(range)) return [];
  const rough = range / Math.max(1, countMax);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((each) => each >= rough)!;
  const marks: number[] = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9 && marks.length < 100; n++) {
    marks.push(Number((n * step).toPrecision(12)));
  }
  return marks;
}

/** A number as axes and readouts show it: `1234.5`, `2.5e-9`; at most `digits` significant digits, but never fewer than it has before the point. */
export function printNumber(value: number, digits = 6): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e9 || size < 1e-4) return value.toExponential(Math.min(4, digits - 1)).replace(/\.?0+e/, 'e');
  return plain(Math.max(digits, Math.floor(Math.log10(size)) + 1)).format(value);
}

const plainFormats = new Map<number, Intl.NumberFormat>();

function plain(digits: number): Intl.NumberFormat {
  let format = plainFormats.get(digits);
  if (format === undefined) {
    // No thousands marks: a comma is a decimal mark to some.
    format = new Intl.NumberFormat('en', { maximumSignificantDigits: digits, useGrouping: false });
    plainFormats.set(digits, format);
  }
  return format;
}

function firstMark(fromMs: number, step: Step, zone: string, firstDay: number): number {
  const first = roundDown(fromMs, step, zone, firstDay);
  return first >= fromMs ? first : nextMark(first, step, zone);
}

function nextMark(ms: number, { unit, count, ms: lengthMs }: Step, zone: string): number {
  if (unit === 'ms' || unit === 's' || unit === 'm') return ms + lengthMs;
  if (unit !== 'h') return addCivil(zone, ms, count, unit);
  if (count === 1) return ms + lengthMs;
  // The next local hour that is a multiple, whatever the clocks do in between.
  const civil = civilOf(zone, ms);
  const next = instantOf(zone, {
    ...civil,
    hour: civil.hour - (civil.hour % count) + count,
    minute: 0,
    second: 0,
  });
  return next > ms ? next : ms + lengthMs;
}

function roundDown(ms: number, { unit, count, ms: lengthMs }: Step, zone: string, firstDay: number): number {
  if (unit === 'ms') return Math.floor(ms / lengthMs) * lengthMs;
  const civil = civilOf(zone, ms);
  if (unit === 's') return startOf(zone, ms, 'm') + (civil.second - (civil.second % count)) * 1000;
  if (unit === 'm') return startOf(zone, ms, 'h') + (civil.minute - (civil.minute % count)) * 60_000;
  if (unit === 'h') {
    if (count === 1) return startOf(zone, ms, 'h');
    return instantOf(zone, { ...civil, hour: civil.hour - (civil.hour % count), minute: 0, second: 0 });
  }
  const start = startOf(zone, ms, unit, firstDay);
  if (unit === 'w' || count === 1) return start;
  const at = civilOf(zone, start);
  if (unit === 'd') return instantOf(zone, { ...at, day: at.day - ((at.day - 1) % count) });
  if (unit === 'M') return instantOf(zone, { ...at, month: at.month - ((at.month - 1) % count) });
  return instantOf(zone, { ...at, year: at.year - (at.year % count) });
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function print(ms: number, { unit }: Step, zone: string): { text: string; context: string } {
  const { year, month, day, hour, minute, second } = civilOf(zone, ms);
  const monthName = months[month - 1]!;
  if (unit === 'y') return { text: String(year), context: '' };
  if (unit === 'M') return { text: monthName, context: String(year) };
  if (unit === 'd' || unit === 'w') return { text: `${day} ${monthName}`, context: String(year) };
  const date = `${day} ${monthName} ${year}`;
  const clock = `${pad(hour)}:${pad(minute)}`;
  if (unit === 'h' || unit === 'm') return { text: clock, context: date };
  const whole = `${clock}:${pad(second)}`;
  if (unit === 's') return { text: whole, context: date };
  const thousandths = String(((Math.floor(ms) % 1000) + 1000) % 1000).padStart(3, '0');
  return { text: `${whole}.${thousandths}`, context: date };
}
