/** The time range of a call (Q1), and its maximum length (L2). */
import { dayUs, minuteUs, printDuration } from '#model/duration';
import { instantUsMax } from '#model/instant';
import type { Limits } from '#model/limits';
import type { Window } from '#model/window';
import type { DataQuery, Form, Width } from './request.ts';

/** The window that a call means (Q1), within the range of timestamps (R3). Empty when its end is not after its start. */
export function resolveWindow(data: DataQuery, form: Form, nowUs: number): Window {
  const { fromUs, beforeUs } = data;
  const weekAgoUs = nowUs - 7 * dayUs;
  const defaultUs = form === 'flat' || beforeUs === null ? weekAgoUs : beforeUs - 14 * dayUs;
  const startUs = inRange(fromUs ?? defaultUs);
  return { startUs, endUs: inRange(beforeUs ?? startUs + 14 * dayUs) };
}

function inRange(us: number): number {
  return Math.min(instantUsMax, Math.max(-instantUsMax, us));
}

/** Whether a window is empty (Q1), or has a bound that is NaN. */
export function isEmpty({ startUs, endUs }: Window): boolean {
  return !(startUs < endUs);
}

/** The most days that a window may have with this width (L2); Infinity where there is no limit. */
export function windowDaysMax(width: Width | null, form: Form, limits: Limits): number {
  if (width === 'window') return form === 'flat' ? limits.windowMinuteDaysMax : Number.POSITIVE_INFINITY;
  if (width === null || isShorter(width, minuteUs)) return limits.windowDaysMax;
  if (form === 'flat' || isShorter(width, dayUs)) return limits.windowMinuteDaysMax;
  if (form === 'evaluate' || isShorter(width, 30 * dayUs)) return limits.windowDayDaysMax;
  return limits.windowMonthDaysMax;
}

/** Calendar widths are a month at least, longer than any fixed width that is compared. */
function isShorter(width: Exclude<Width, 'window'>, us: number): boolean {
  return width.kind === 'fixed' && width.us < us;
}

/** What is wrong with a window that is too long (L2); null when it is allowed, or has a bound that is NaN. */
export function windowProblem(
  window: Window,
  width: Width | null,
  form: Form,
  limits: Limits,
): string | null {
  const max = windowDaysMax(width, form, limits);
  const days = (window.endUs - window.startUs) / dayUs;
  if (!(days > max)) return null;
  const got = `got ${Math.ceil(days * 1000) / 1000}`;
  return `the window must be at most ${max} days long ${printWidth(width)}, ${got}${widerWidth(days, form, limits)}`;
}

function printWidth(width: Width | null): string {
  if (width === null) return 'without a rollup';
  return `with rollup ${width === 'window' ? width : printDuration(width)}`;
}

/** The first step of L2 that allows so many days. */
function widerWidth(days: number, form: Form, limits: Limits): string {
  const steps: [string, Width][] = [
    ['PT1M', { kind: 'fixed', us: minuteUs }],
    ['PT24H', { kind: 'fixed', us: dayUs }],
    ['P1M', { kind: 'calendar', months: 1 }],
    ['window', 'window'],
  ];
  const step = steps.find(([, width]) => days <= windowDaysMax(width, form, limits));
  return step === undefined ? '' : `; rollup ${step[0]} would allow it`;
}
