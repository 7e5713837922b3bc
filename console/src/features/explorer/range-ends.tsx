/** Both ends of a time range as fields of text. */
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { TextField } from '../../parts/field.tsx';
import { printCivil } from '../../platform/time/civil.ts';
import { type Range, readEnd, type Span } from './range.ts';

/** The ends while they are typed: relative to now as they are, others as times in the zone. */
export function useRangeEnds(range: Range | null, span: Span, zone: string) {
  const textOf = (end: string | undefined, ms: number) =>
    end?.startsWith('now') ? end : printCivil(zone, ms);
  const [texts, set] = useState(() => ({
    from: textOf(range?.from, span.fromMs),
    to: textOf(range?.to, span.toMs),
  }));
  const [from, to] = [readEnd(texts.from, zone), readEnd(texts.to, zone)];
  return {
    texts,
    set,
    isValid: { from: from !== null, to: to !== null },
    /** Null while one of them cannot be read. */
    range: from === null || to === null ? null : { from, to },
  };
}

const endHint = 'must be a time such as 2026-11-20 10:30, or now-7d';

/** The two fields; `error` is what is wrong with ends that can be read. */
export function EndFields({
  ends: { texts, set, isValid },
  areErrorsShown = true,
  hint,
  error,
}: {
  ends: ReturnType<typeof useRangeEnds>;
  areErrorsShown?: boolean;
  hint?: string;
  error?: string | undefined;
}) {
  const errors = {
    from: isValid.from ? undefined : endHint,
    to: isValid.to ? error : endHint,
  };
  const of = boundTo(texts, (part) => set({ ...texts, ...part }));
  return (
    <>
      <TextField label="From" {...of('from')} isCode error={areErrorsShown ? errors.from : undefined} />
      <TextField label="To" {...of('to')} isCode hint={hint} error={areErrorsShown ? errors.to : undefined} />
    </>
  );
}
