/** Timestamps on a page: what people want to know first, with the exact time as a tooltip. */
import { type ReactNode, useSyncExternalStore } from 'react';
import { createStore } from '../store.ts';
import { printAge } from './age.ts';
import { nowMs } from './clock.ts';
import { usePrinter } from './zone.ts';

type At = string | number | null | undefined;

/** A timestamp in the chosen zone; nothing given shows a dash. */
export function Moment({ at }: { at: At }) {
  const printer = usePrinter();
  const ms = parseMoment(at);
  return ms === null ? <span className="quiet">–</span> : <Time ms={ms}>{printer.second(ms)}</Time>;
}

/** The age of a timestamp, kept up to date. */
export function Age({ at }: { at: At }) {
  const now = useNow();
  const ms = parseMoment(at);
  if (ms === null) return <span className="quiet">never</span>;
  return <Time ms={ms}>{printAge(ms, Math.max(now, nowMs()))}</Time>;
}

/** A text about a timestamp, which is the tooltip. */
export function Time({ ms, children }: { ms: number; children: ReactNode }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={usePrinter().exact(ms)} className="figures">
      {children}
    </time>
  );
}

/** Milliseconds since 1970 of an RFC 3339 text or a number of milliseconds; null for anything else. */
export function parseMoment(at: At): number | null {
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
