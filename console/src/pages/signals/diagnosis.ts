/** Compares the spacing of a signal's points with what it declares. */
import type { SignalSpacing } from '@tidemark/client/wire';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { durationMs } from '../../platform/time/span.ts';

/** The result in words; and a sample interval that fits better, if there is one. */
interface Diagnosis {
  mood: 'info' | 'good' | 'warn';
  text: string;
  interval: string | null;
}

/** The share by which observed and declared interval may differ without a warning. */
const tolerance = 0.05;

/** Compares declared and observed interval, and gap detection with the observed one. */
export function diagnose(
  { sampleInterval, gapDetection }: Pick<Attributes, 'sampleInterval' | 'gapDetection'>,
  { points, median, gapCount }: Pick<SignalSpacing, 'points' | 'median' | 'gapCount'>,
): Diagnosis {
  const [declaredMs, observedMs] = [durationMs(sampleInterval), durationMs(median)];
  const found = (mood: Diagnosis['mood'], text: string, interval: string | null = null) => {
    return { mood, text, interval };
  };
  if (observedMs === null)
    return found('info', `There ${points === 0 ? 'are no points yet' : 'is one point'}.`);
  const interval = roundInterval(observedMs);
  const observed = printSpan(median);
  if (declaredMs === null)
    return found('info', `No sample interval is declared; the observed interval is ${observed}.`, interval);
  if (Math.abs(observedMs - declaredMs) > declaredMs * tolerance) {
    const text = `The declared interval is ${printSpan(sampleInterval)}, but the observed one is ${observed}.`;
    return found('warn', text, interval === sampleInterval ? null : interval);
  }
  const gapMs = durationMs(gapDetection);
  if (gapMs !== null && gapMs < observedMs) {
    const shorter = `but gap detection is shorter: ${printSpan(gapDetection)}.`;
    return found('warn', `Points arrive every ${observed} as declared, ${shorter}`);
  }
  const gaps = gapCount === 0 ? 'without a gap' : gapCount === 1 ? 'with one gap' : `with ${gapCount} gaps`;
  return found(gapCount === 0 ? 'good' : 'info', `Points arrive every ${observed}, as declared, ${gaps}.`);
}

const roundMs = [1000, 5000, 10_000, 15_000, 30_000, 60_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000];

/** The interval to suggest: a round one if one is near, else in milliseconds, below a second in microseconds. */
export function roundInterval(ms: number): string {
  const stepsPerMs = ms < 1000 ? 1000 : 1;
  const near =
    roundMs.find((round) => Math.abs(ms - round) <= round * tolerance) ??
    Math.round(ms * stepsPerMs) / stepsPerMs;
  const [hours, minutes] = [Math.floor(near / 3_600_000), Math.floor((near % 3_600_000) / 60_000)];
  const seconds = Number(((near % 60_000) / 1000).toFixed(6));
  const parts = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
  return parts === '' ? 'PT0S' : `PT${parts}`;
}

/** A duration in words: `63 s`, `250 ms`, `15 min`, `26 h`; `1 min 3 s` when that is exact. */
export function printSpan(text: string | null): string {
  const ms = durationMs(text);
  if (ms === null) return '–';
  if (ms < 1000) return `${Number(ms.toFixed(3))} ms`;
  if (ms < 120_000) return `${Number((ms / 1000).toFixed(2))} s`;
  if (ms < 7_200_000) return join(ms, 60_000, 'min', 1000, 's');
  if (ms < 172_800_000) return join(ms, 3_600_000, 'h', 60_000, 'min');
  return join(ms, 86_400_000, 'd', 3_600_000, 'h');
}

function join(ms: number, largeMs: number, large: string, smallMs: number, small: string): string {
  const rest = Math.floor((ms % largeMs) / smallMs);
  return `${Math.floor(ms / largeMs)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
