/** Durations as the service writes them. */

/** Milliseconds of a fixed duration in its canonical form, such as `PT15M` or `PT0.5S`; null for none. */
export function durationMs(text: string | null): number | null {
  const found = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text ?? '');
  if (!found) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = found;
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
}
