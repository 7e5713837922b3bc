/** Server-sent events as text (the HTML standard, section 9.2): live inserts, resets, and signs of life. */

import type { Points } from '#model/frame';
import { printInstant } from '#model/instant-printer';
import type { LiveInsert } from '#protocol/live';

/** The media type of a stream. */
export const eventStreamType = 'text/event-stream';

/** How long a client that was disconnected should wait before it comes back, ms. */
const retryMs = 1000;

/** The texts of points: one insert is often sent to many. */
const known = new WeakMap<Points, string>();

/** The beginning of a stream, with its place, so that a client which is disconnected before the first event misses nothing. */
export function beginningText(place: string | null): string {
  return place === null ? `retry: ${retryMs}\n\n` : `retry: ${retryMs}\nid: ${place}\n\n`;
}

/** An insert: `{item: {times, values}}`. */
export function insertText({ position, points }: LiveInsert): string {
  const members = [...points].map(([item, some]) => `${JSON.stringify(item)}:${pointsText(some)}`);
  return `id: ${position}\ndata: {${members.join(',')}}\n\n`;
}

/** That inserts may have been missed. */
export function resetText(position: string): string {
  return `event: reset\nid: ${position}\ndata: {}\n\n`;
}

/** A sign of life, which is no event to a client, but moves its place. */
export function heartbeatText(place: string): string {
  return `: still here\nid: ${place}\n\n`;
}

function pointsText(points: Points): string {
  return known.getOrInsertComputed(points, ({ timesUs, values }) => {
    const times = Array.from(timesUs, (us) => `"${printInstant(us)}"`);
    return `{"times":[${times.join(',')}],"values":${JSON.stringify([...values])}}`;
  });
}
