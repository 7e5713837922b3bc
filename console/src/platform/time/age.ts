/** How long ago something was, in the coarsest unit that says enough. */

const steps = [
  { unit: 's', seconds: 1 },
  { unit: 'min', seconds: 60 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'd', seconds: 86_400 },
  { unit: 'y', seconds: 31_557_600 },
] as const;

/** `12 s`, `3 min`, `5 h`, `14 d`, `2 y`; nothing is ever negative. */
export function printDuration(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  const step = steps.findLast((each) => seconds >= each.seconds) ?? steps[0];
  return `${Math.floor(seconds / step.seconds)} ${step.unit}`;
}

/** Up to so far ahead a time counts as the present: the clocks of service and browser differ, and pages are drawn late. */
const clockErrorMs = 10_000;

/** `3 min ago`; `just now` below two seconds; `in 5 min` for what is to come. */
export function printAge(thenMs: number, nowMs: number): string {
  const age = nowMs - thenMs;
  if (age < -clockErrorMs) return `in ${printDuration(-age)}`;
  return age < 2000 ? 'just now' : `${printDuration(age)} ago`;
}
