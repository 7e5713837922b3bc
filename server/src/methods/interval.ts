/** Intervals of time that a client writes as text: durations without months and years (R4). */
import { durationProblem, parseDuration } from '#model/duration';
import { quote } from '#model/problem-list';

/** What a message offers where months are welcome too. */
const calendarForms = ', or P3M or P1Y';

/** Reads a fixed duration in microseconds, of either sign; else what is wrong with it, worded for the caller. */
export function parseFixedDuration(text: string): number | { problem: string } {
  const problem = durationProblem(text);
  if (problem !== null) return { problem: problem.replace(calendarForms, '') };
  const duration = parseDuration(text);
  if (duration.kind === 'fixed') return duration.us;
  return { problem: `must be a duration without months and years, got ${quote(text)}` };
}
