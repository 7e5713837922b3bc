/** The state of the page of formulas: its sheet and view, and what they give. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePlaceState } from '../../platform/router/place.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { nowMs as readNow } from '../../platform/time/clock.ts';
import { useZone } from '../../platform/time/zone.ts';
import { useItems } from '../explorer/item-picker.tsx';
import { loadFrame } from '../explorer/load-frame.ts';
import { usePixels } from '../explorer/pixels.ts';
import { resolveRange, type Span } from '../explorer/range.ts';
import type { Cutting } from '../explorer/request.ts';
import { parseView, printView, type View } from '../explorer/view.ts';
import { reduce } from '../explorer/width.ts';
import { evaluate, evaluateRequest, noFaults, type Outcome } from './evaluation.ts';
import { parseSheet, printSheet, type Sheet } from './sheet.ts';

/** Everything that the page shows. */
export type Formulas = ReturnType<typeof useFormulas>;

/** The sheet of the address, and what it gives. */
export function useFormulas() {
  const { view, sheet, setSheet, settled, settle, changeView, savedItem } = useSheet();
  const preferred = useZone();
  const zone = view.zone ?? preferred;
  const [nowMs, setNow] = useState(readNow);
  const span = useMemo(
    () => resolveRange(view.range, nowMs, { zone, firstDay: view.firstDay }),
    [view.range, nowMs, zone, view.firstDay],
  );
  const { items } = useItems([...new Set(sheet.items.map(({ id }) => id))]);
  const [place, pixels] = usePixels();
  const cutting = useMemo(
    () => cut(view, span, zone, pixels, settled.items.length),
    [view, span, zone, pixels, settled.items.length],
  );
  const { query, request } = useEvaluated(settled, cutting);
  const run = () => {
    settle();
    setNow(readNow());
    void query.refetch();
  };
  useShortcut('d r', 'Compute again', 'Formulas', run);
  return {
    ...{ view, sheet, setSheet, settled, savedItem, items, span, zone, nowMs, place, request, run },
    changeView: (parts: Partial<View>) => {
      setNow(readNow());
      changeView(parts);
    },
    evaluated: request === null ? null : (query.data?.evaluated ?? null),
    faults: request === null ? noFaults : (query.data?.faults ?? noFaults),
    error: query.error,
    isLoading: query.isFetching,
  };
}

/** The sheet: kept here while it is edited, written to the address and computed once the typing stops. */
function useSheet() {
  const [search, change] = usePlaceState();
  const text = search.get('f') ?? '';
  const viewText = search.toString();
  const view = useMemo(() => parseView(new URLSearchParams(viewText)), [viewText]);
  const [sheet, setSheet] = useState(() => parseSheet(text));
  const [settled, setSettled] = useState(sheet);
  const written = useRef(text);
  const settle = () => {
    setSettled(sheet);
    written.current = printSheet(sheet) ?? '';
    change({ f: written.current });
  };
  const latest = useRef(settle);
  latest.current = settle;
  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for the typing to stop
  useEffect(() => {
    if (sheet === settled) return;
    const timer = setTimeout(() => latest.current(), 350);
    return () => clearTimeout(timer);
  }, [sheet]);
  useEffect(() => {
    // The address was changed: back in the history, or another link.
    if (text === written.current) return;
    written.current = text;
    const next = parseSheet(text);
    setSheet(next);
    setSettled(next);
  }, [text]);
  const changeView = (parts: Partial<View>) =>
    change({ ...printView({ ...view, ...parts }) }, { replace: parts.range === undefined });
  // The calculated item whose formula is changed here.
  const savedItem = search.get('item');
  return { view, sheet, setSheet, settled, settle, changeView, savedItem };
}

function cut(view: View, span: Span, zone: string, pixels: number, items: number): Cutting | null {
  if (pixels === 0) return null;
  const intervalsMs = new Array<number>(items).fill(60_000);
  const spanMs = span.toMs - span.fromMs;
  const isChosen = view.rollup !== 'auto' && view.rollup !== 'raw';
  const automatic = () => reduce({ spanMs, pixels, intervalsMs, needsBuckets: true })!.duration;
  const rollup = isChosen ? view.rollup : automatic();
  return { span, rollup, zone, firstDay: view.firstDay };
}

/** Computes a sheet; while the next answer is on its way, the one before stays. */
function useEvaluated(sheet: Sheet, cutting: Cutting | null) {
  const request = cutting && evaluateRequest(sheet, cutting);
  const query = useQuery<Outcome, Error>({
    queryKey: ['evaluate', request],
    queryFn: ({ signal }) => evaluate(sheet, cutting!, (request) => loadFrame(request, signal)),
    enabled: request !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    structuralSharing: false,
  });
  return { query, request };
}
