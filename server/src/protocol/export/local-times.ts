/** Times of an export as text: RFC 3339 in a zone, with its offset. */
import { printInstant } from '#model/instant-printer';
import { localUs, type ZoneTable, zoneTable } from '#model/zone';
import type { RowWriter } from './text-format.ts';

/** What writes times of a block, µs, in a zone: `2024-01-31T13:00:00+01:00`, in UTC `2024-01-31T12:00:00Z`. */
export function timeWriter(writer: RowWriter, zone: string, timesUs: Float64Array): (us: number) => void {
  if (zone === 'UTC') return (us) => writer.instant(us);
  const table: ZoneTable = zoneTable(zone, timesUs[0], timesUs[timesUs.length - 1]);
  return (us) => {
    const local = localUs(table, us);
    const text = printInstant(local);
    writer.text(text.slice(0, -1) + printOffset(local - us));
  };
}

let lastOffsetUs = 0;
let lastOffset = 'Z';

/** `Z`, or `+01:00`. Offsets of past centuries have seconds: they are rounded, and the local time stays exact. */
function printOffset(us: number): string {
  if (us === lastOffsetUs) return lastOffset;
  const minutes = Math.round(Math.abs(us) / 60e6);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  lastOffsetUs = us;
  lastOffset = us === 0 ? 'Z' : `${us < 0 ? '-' : '+'}${hour}:${minute}`;
  return lastOffset;
}
