/** The chart on a page: keyboard, announcements, and the way between React and the chart itself. */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useRested } from '../../parts/in-sight.ts';
import { axesOf } from './axes.ts';
import { Chart } from './chart.ts';
import { placeOf, rowAfter, spanOfRows } from './chart-keys.ts';
import { laneHeight } from './chart-lanes.ts';
import type { ChartModel } from './chart-model.ts';
import { type Span, shiftSpan, stretchSpan } from './range.ts';
import './chart-view.css';

interface ChartViewProps {
  model: ChartModel;
  /** Names the chart: what it shows and when. */
  label: string;
  /** The element that has the same as a table. */
  detailsId: string;
  cursor: number | null;
  /** The instant is that of the pointer, or of the row. */
  onCursor(row: number | null, atMs: number): void;
  /** A row is pinned, or its pin removed. */
  onPin?(row: number): void;
  /** The pin nearest to the row is removed; null: the last one. */
  onUnpin?(row: number | null): void;
  /** Elements with `data-at`, ms, that stay at their instants over the chart. */
  pins?: ReactNode;
  /** What lies over an empty chart. */
  overlay?: ReactNode;
  /** The tooltip at the cursor, for a chart of this height, CSS pixels. */
  tip?(height: number): ReactNode;
  /** Where the chart leaves what makes a picture of it. */
  picture?: { current: ((title: string) => Promise<Blob>) | null };
  onSpan(span: Span): void;
  onZoomOut(): void;
  /** What is read out for a row. */
  sayRow(row: number): string;
  isBusy?: boolean;
  height?: number;
}

/** The numbers of a panel lower than this do not fit, CSS pixels. */
const panelHeightMin = 110;

/** A chart with its keys: arrows move the cursor, with Shift they select, Enter zooms, Escape clears. */
export function ChartView(props: ChartViewProps) {
  const { model, label, detailsId, cursor, isBusy = false } = props;
  const root = useRef<HTMLDivElement>(null);
  const pins = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const made = new Chart(root.current!, pins.current!, {
      onSpan: (span) => latest.current.onSpan(span),
      onCursor: (row, atMs) => latest.current.onCursor(row, atMs),
      onPick: (row) => latest.current.onPin?.(row),
      onReset: () => latest.current.onZoomOut(),
    });
    chart.current = made;
    const picture = latest.current.picture;
    if (picture) picture.current = (title) => made.picture(title);
    return () => {
      if (picture) picture.current = null;
      made.destroy();
    };
  }, []);
  useEffect(() => chart.current?.show(model), [model]);
  useLayoutEffect(() => chart.current?.placePins());
  const keys = useChartKeys(chart, latest);
  const height = props.height ?? heightOf(model);
  return (
    <div className="chart-frame">
      <div
        ref={root}
        className="chart"
        data-chart=""
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-details={detailsId}
        aria-describedby={`${detailsId}-keys`}
        aria-busy={isBusy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an element with its own keys must be focusable
        tabIndex={0}
        style={{ height }}
        onKeyDown={keys.onKey}
        onBlur={keys.onBlur}
      />
      <p id={`${detailsId}-keys`} className="chart-keys">
        Arrow keys move the cursor, with Shift they select, Enter zooms to the selection, + and − zoom, Page
        up and Page down move the window, Escape clears
        {props.onPin ? ', P pins the time, Delete removes a pin' : ''}. The wheel zooms, Shift and dragging
        pans.
      </p>
      <div ref={pins} className="chart-pins">
        {props.pins}
        {props.tip?.(root.current?.clientHeight ?? 0)}
      </div>
      {props.overlay}
      <Announcement text={cursor === null || !keys.isByKey ? '' : props.sayRow(cursor)} />
    </div>
  );
}

/** Lines take what the window leaves over the tables, panels as much as each needs; lanes come on top. */
function heightOf(model: ChartModel): string {
  const lanes = model.lanes.length * laneHeight;
  if (model.lines.length === 0) return `${60 + lanes}px`;
  const visible = model.lines.filter(({ isVisible }) => isVisible);
  const minimum = Math.max(380, model.isPanels ? axesOf({ lines: visible }).length * panelHeightMin : 0);
  return `calc(max(${minimum}px, 100dvh - 390px) + ${lanes}px)`;
}

/** Announces the values at the cursor when it stops moving. */
function Announcement({ text }: { text: string }) {
  const said = useRested(text, text === '' ? 0 : 350);
  return (
    <div className="hidden-text" role="status" aria-live="polite">
      {said}
    </div>
  );
}

interface Latest {
  readonly current: ChartViewProps;
}

function useChartKeys(chart: { readonly current: Chart | null }, latest: Latest) {
  const [isByKey, setByKey] = useState(false);
  const anchor = useRef<number | null>(null);
  const sequenceUntil = useRef(0);
  const clear = () => {
    anchor.current = null;
    chart.current?.select(null);
    chart.current?.setCursor(null);
    latest.current.onCursor(null, 0);
  };
  const moveTo = (row: number, isSelecting: boolean) => {
    const { model, cursor, onCursor } = latest.current;
    const before = cursor ?? row;
    anchor.current = isSelecting ? (anchor.current ?? before) : null;
    chart.current?.select(anchor.current === null ? null : spanOfRows(model, anchor.current, row));
    chart.current?.setCursor(row);
    setByKey(true);
    onCursor(row, model.timesMs[row]!);
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { model, cursor, onSpan, onZoomOut, onPin, onUnpin } = latest.current;
    // `t` begins a sequence of the page, such as `t ArrowLeft`.
    const isInSequence = event.timeStamp < sequenceUntil.current;
    sequenceUntil.current = event.key === 't' ? event.timeStamp + 1200 : 0;
    if (isInSequence) return;
    const row = rowAfter(event.key, cursor, model, chart.current!.span());
    const span = chart.current!.span();
    if (row !== null) moveTo(row, event.shiftKey);
    else if (event.key === 'Enter' && anchor.current !== null && cursor !== null) {
      const selected = spanOfRows(model, anchor.current, cursor);
      clear();
      onSpan(selected);
    } else if (event.key === 'Escape') clear();
    else if (event.key === '+' || event.key === '=')
      onSpan(stretchSpan(span, 0.5, placeOf(model, cursor, span)));
    else if (event.key === '-') onZoomOut();
    else if ((event.key === 'p' || event.key === ' ') && onPin) {
      if (cursor !== null) onPin(cursor);
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && onUnpin) onUnpin(cursor);
    else if (event.key === 'PageUp' || event.key === 'PageDown')
      onSpan(shiftSpan(span, event.key === 'PageUp' ? -0.5 : 0.5));
    else return;
    event.preventDefault();
  };
  // The cursor stays: who goes on to the tables reads them at its place.
  const onBlur = () => setByKey(false);
  return { onKey, onBlur, isByKey };
}
