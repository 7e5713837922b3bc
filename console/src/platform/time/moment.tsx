/** Timestamps on a page: what people want to know first, with the exact time as a tooltip. */
import { useSyncExternalStore } from 'react';
import { createStore } from '../store.ts';
import { printAge } from './age.ts';
import { nowMs } from './clock.ts';
import { usePrinter } from './zone.ts';

/** A timestamp in the chosen zone; nothing given shows a dash. */
export function Moment({ at }: { at: string | number | null | undefined }) {
  const printer = usePrinter();
  const ms = parseMoment(at);
  if (ms === null) return <span className="quiet">–</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={printer.exact(ms)} className="figures">
      {printer.second(ms)}
    </time>
  );
}

/** The age of a timestamp, kept up to date. */
export function Age({ at }: { at: string | number | null | undefined }) {
  const printer = usePrinter();
  const now = useNow();
  const ms = parseMoment(at);
  if (ms === null) return <span className="quiet">never</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={printer.exact(ms)} className="figures">
      {printAge(ms, Math.max(now, nowMs()))}
    </time>
  );
}

/** Milliseconds since 1970 of an RFC 3339 text or a number of milliseconds; null for anything else. */
export function parseMoment(at: string | number | null | undefined): number | null {
  if (at === null || at === undefined) return null;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return Number.isFinite(ms) ? ms : null;
}

const tickMs = 5000;
const present = createStore(nowMs());
let followers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The present, renewed every five seconds while something shows it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, present.get);
}

function subscribe(listener: () => void): () => void {
  const unsubscribe = present.subscribe(listener);
  if (followers++ === 0) timer = setInterval(() => present.set(nowMs()), tickMs);
  return () => {
    unsubscribe();
    if (--followers === 0) clearInterval(timer);
  };
}
