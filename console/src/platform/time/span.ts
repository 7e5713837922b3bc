/** Durations as the service writes them, and as people do. */

const durationPattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;
const dayMs = 86_400_000;
/** Of years, months, weeks, days, hours, minutes and seconds: the usual ones, where the calendar decides. */
const unitsMs = [365.25 * dayMs, 30.4375 * dayMs, 7 * dayMs, dayMs, 3_600_000, 60_000, 1000];

/** The usual length of a duration such as `PT15M` or `P1M`, ms; null when it is none, or of no length. */
export function durationMs(duration: string | null): number | null {
  const found = durationPattern.exec(duration ?? '');
  if (found === null) return null;
  const ms = unitsMs.reduce((sum, unit, i) => sum + unit * Number(found[i + 1] ?? 0), 0);
  return ms > 0 ? ms : null;
}

/** `10 s`, `1 h 30 min`, `2 d` for a duration of the service (`PT10S`); a text that is none is given back. */
export function printPeriod(duration: string): string {
  const [, years, months, ...counts] = durationPattern.exec(duration) ?? [];
  if (years !== undefined || months !== undefined) return duration;
  const parts = counts.flatMap((count, i) =>
    count === undefined ? [] : [`${count} ${i === 0 && count === '1' ? 'week' : periodUnits[i]}`],
  );
  return parts.join(' ') || duration;
}

const periodUnits = ['weeks', 'd', 'h', 'min', 's'];

/** What people write for each unit. */
const unitWords: Readonly<Record<string, 'W' | 'D' | 'H' | 'M' | 'S'>> = {
  ...{ w: 'W', week: 'W', weeks: 'W' },
  ...{ d: 'D', day: 'D', days: 'D', h: 'H', hour: 'H', hours: 'H' },
  ...{ m: 'M', min: 'M', mins: 'M', minute: 'M', minutes: 'M' },
  ...{ s: 'S', sec: 'S', secs: 'S', second: 'S', seconds: 'S' },
};

/**
 * The duration of the service for what people write: `10 s`, `1.5s`, `5 min`, `1 h 30 min`, `2 days`, `1 week`, `250 ms`. Any other
 * text is given back without spaces around it: it may be one already, and the service explains what is wrong.
 */
export function readPeriod(text: string): string {
  const trimmed = text.trim();
  const thousandths = /^(\d+) ?ms$/i.exec(trimmed)?.[1];
  if (thousandths !== undefined) return `PT${Number(thousandths) / 1000}S`;
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+) ?/giy)];
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== trimmed) return trimmed;
  const counts = new Map<string, string>(
    parts.map(([, count, word]) => [unitWords[word!.toLowerCase()] ?? '', count!]),
  );
  const isKnown = !counts.has('') && counts.size === parts.length;
  // Only seconds have decimals.
  const isWhole = [...counts].every(([unit, count]) => unit === 'S' || !count.includes('.'));
  if (!isKnown || !isWhole) return trimmed;
  const of = (unit: 'W' | 'D' | 'H' | 'M' | 'S') => (counts.has(unit) ? `${counts.get(unit)}${unit}` : '');
  const time = `${of('H')}${of('M')}${of('S')}`;
  return `P${of('W')}${of('D')}${time === '' ? '' : `T${time}`}`;
}
