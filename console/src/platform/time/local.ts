/** Times as people type them: what a clock in the chosen zone shows. */
import { instantOf } from './civil.ts';

const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Milliseconds since 1970 of `2026-11-20`, `2026-11-20 10:33` or `2026-11-20 10:33:15` in a zone; null for anything else. */
export function parseLocal(zone: string, text: string): number | null {
  const found = pattern.exec(text.trim());
  if (!found) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const isReal =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysOf(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  return isReal ? instantOf(zone, { year, month, day, hour, minute, second }) : null;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
