/** How long a signal may have no point before it counts as silent: as declared, or derived from its usual interval. */
import { dayUs, minuteUs } from '#model/duration';
import type { Signal } from '#model/signal';
import type { SeriesStore } from '#storage/store';

/** Number of missed points that are a gap, if none is declared. */
const missedPoints = 3;
/** Minimum of a derived gap, since integrations send in batches. */
const undeclaredUsMin = minuteUs;
/** Windows before the present in which points are counted, and how many make a usual distance. */
const windowsUs = [dayUs, 30 * dayUs] as const;
const pointsMin = 8;
/** With fewer points than {@link pointsMin} in the last window. */
const rareUs = 30 * dayUs;

/**
 * The gap of each signal, µs, as of a time: the declared one; else three declared intervals; else three times the average
 * distance of the points of the last day, or of the last 30 days where there are few. A signal with hardly any points
 * becomes silent after 30 days.
 */
export async function silenceAfterUs(
  signals: readonly Pick<Signal, 'number' | 'attributes'>[],
  asOfUs: number,
  series: Pick<SeriesStore, 'countPoints'>,
): Promise<Float64Array> {
  const gapsUs = Float64Array.from(signals, ({ attributes }) => declaredUs(attributes));
  for (const windowUs of windowsUs) {
    const open = [...gapsUs.keys()].filter((i) => Number.isNaN(gapsUs[i]));
    if (open.length === 0) break;
    const window = { startUs: asOfUs - windowUs, endUs: asOfUs + 1 };
    const counts = await series.countPoints(
      open.map((i) => signals[i].number),
      window,
    );
    for (const [k, i] of open.entries())
      if (counts[k] >= pointsMin)
        gapsUs[i] = Math.max(undeclaredUsMin, (missedPoints * windowUs) / counts[k]);
  }
  return gapsUs.map((us) => (Number.isNaN(us) ? rareUs : us));
}

/** NaN: nothing is declared. */
function declaredUs({ gapDetectionUs, sampleIntervalUs }: Signal['attributes']): number {
  if (gapDetectionUs !== null) return gapDetectionUs;
  if (sampleIntervalUs === null) return Number.NaN;
  return Math.max(undeclaredUsMin, missedPoints * sampleIntervalUs);
}
