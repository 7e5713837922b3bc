/** Local clocks: instants ⇄ what a clock on the wall of a zone shows. With Intl alone, as not every browser has Temporal. */

/** What the clock and the calendar on the wall show. */
export interface Civil {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** How to count in {@link addCivil}. */
export type CivilUnit = 's' | 'm' | 'h' | 'd' | 'w' | 'M' | 'y';

const fields = new Map<string, Intl.DateTimeFormat>();

/** The offset of a zone from UTC at an instant, ms; positive in the east. */
export function offsetMs(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0;
  return civilMs(civilOf(zone, atMs)) - Math.floor(atMs / 1000) * 1000;
}

/** What a clock in the zone shows at an instant. */
export function civilOf(zone: string, atMs: number): Civil {
  if (zone === 'UTC') return civilOfUtc(atMs);
  const civil = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatterOf(zone).formatToParts(atMs)) {
    if (type in civil) civil[type as keyof Civil] = Number(value);
  }
  return civil;
}

/**
 * The instant at which a clock in the zone shows this. A time that does not exist moves forward to the first that does;
 * of one that occurs twice the first is meant (Q3). Fields may be out of their range: month 13 is the next January.
 */
export function instantOf(zone: string, civil: Civil): number {
  const wallMs = civilMs(civil);
  if (zone === 'UTC') return wallMs;
  // The offsets on either side of any change near by; the earlier one that fits wins.
  const before = offsetMs(zone, wallMs - dayMs);
  const after = offsetMs(zone, wallMs + dayMs);
  for (const offset of before === after ? [before] : [before, after]) {
    if (offsetMs(zone, wallMs - offset) === offset) return wallMs - offset;
  }
  return changeBetween(zone, wallMs - dayMs, wallMs + dayMs);
}

/** So many units later: seconds to hours as time that passes, days and more on the calendar of the zone. */
export function addCivil(zone: string, atMs: number, count: number, unit: CivilUnit): number {
  const elapsed = { s: 1000, m: 60_000, h: 3_600_000, d: 0, w: 0, M: 0, y: 0 }[unit];
  if (elapsed > 0) return atMs + count * elapsed;
  const civil = civilOf(zone, atMs);
  const restMs = atMs - Math.floor(atMs / 1000) * 1000;
  if (unit === 'd') return restMs + instantOf(zone, { ...civil, day: civil.day + count });
  if (unit === 'w') return restMs + instantOf(zone, { ...civil, day: civil.day + 7 * count });
  const months = civil.year * 12 + civil.month - 1 + (unit === 'y' ? 12 * count : count);
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return restMs + instantOf(zone, { ...civil, year, month, day: Math.min(civil.day, daysOf(year, month)) });
}

/** The start of the unit that an instant is in, in the zone; weeks begin on `firstDay` (1 Monday … 7 Sunday). */
export function startOf(zone: string, atMs: number, unit: CivilUnit, firstDay = 1): number {
  const civil = civilOf(zone, atMs);
  if (unit === 's' || unit === 'm' || unit === 'h') {
    // Elapsed: an hour that occurs twice begins twice.
    const into = unit === 's' ? 0 : unit === 'm' ? civil.second : civil.minute * 60 + civil.second;
    return Math.floor(atMs / 1000) * 1000 - into * 1000;
  }
  const day = { ...civil, hour: 0, minute: 0, second: 0 };
  if (unit === 'w') day.day -= (weekdayOf(day) - firstDay + 7) % 7;
  if (unit === 'M' || unit === 'y') day.day = 1;
  if (unit === 'y') day.month = 1;
  return instantOf(zone, day);
}

/** The day of the week, 1 Monday … 7 Sunday. */
export function weekdayOf(civil: Civil): number {
  return new Date(civilMs(civil)).getUTCDay() || 7;
}

/** `UTC+05:30`, `UTC−03:00`; `UTC` for none. */
export function printOffset(offset: number): string {
  if (offset === 0) return 'UTC';
  const minutes = Math.round(Math.abs(offset) / 60_000);
  return `UTC${offset < 0 ? '−' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** `2026-11-20 10:33:15`, with thousandths where there are any. */
export function printCivil(zone: string, atMs: number): string {
  const { year, month, day, hour, minute, second } = civilOf(zone, atMs);
  const thousandths = Math.floor(atMs) - Math.floor(atMs / 1000) * 1000;
  const fraction = thousandths === 0 ? '' : `.${String(thousandths).padStart(3, '0')}`;
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`;
}

const typed = /^(\d{4})-(\d\d?)-(\d\d?)(?:[ T](\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/;

/** The instant of `2026-11-20`, `2026-11-20 10:33` or `2026-11-20 10:33:15.250` in a zone, ms; null for anything else. */
export function parseCivil(zone: string, text: string): number | null {
  const found = typed.exec(text.trim());
  if (!found) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const civil = { year, month, day, hour, minute, second };
  // A field out of its range would carry into the next.
  const isReal = JSON.stringify(civilOf('UTC', civilMs(civil))) === JSON.stringify(civil);
  return isReal ? instantOf(zone, civil) + Number((found[7] ?? '').padEnd(3, '0')) : null;
}

/** RFC 3339 with the offset of the zone: `2026-11-20T10:33:15.123+01:00`; `Z` for UTC, a fraction only where there is one. */
export function printIso(zone: string, atMs: number): string {
  const offset = offsetMs(zone, atMs);
  const wall = new Date(Math.round(atMs) + offset).toISOString().replace(/\.000Z$|Z$/, '');
  if (offset === 0) return `${wall}Z`;
  return `${wall}${printOffset(offset).slice(3).replace('−', '-')}`;
}

/** The civil fields as if they were in UTC, ms. */
export function civilMs({ year, month, day, hour, minute, second }: Civil): number {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.setUTCHours(hour, minute, second, 0);
}

/** Whether the browser knows a zone by this name. */
export function isZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** `07`. */
export function pad(number: number): string {
  return String(number).padStart(2, '0');
}

const dayMs = 86_400_000;

function daysOf(year: number, month: number): number {
  return new Date(civilMs({ year, month: month + 1, day: 0, hour: 0, minute: 0, second: 0 })).getUTCDate();
}

/** Intl gives years before the first one without their sign. */
function civilOfUtc(atMs: number): Civil {
  const at = new Date(atMs);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}

/** The first instant with the later offset: where the clocks jump. */
function changeBetween(zone: string, fromMs: number, toMs: number): number {
  const later = offsetMs(zone, toMs);
  let [low, high] = [fromMs, toMs];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offsetMs(zone, middle) === later) high = middle;
    else low = middle;
  }
  return high;
}

/** Made once for each zone: they are costly. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  let format = fields.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    fields.set(zone, format);
  }
  return format;
}
