/** The overview under the chart: the window within a longer time range, to be moved and resized by hand or by key. */
import { memo, useEffect, useRef, useState } from 'react';
import { onTheme } from '../../platform/theme/on-theme.ts';
import { printCivil } from '../../platform/time/civil.ts';
import type { LineStyle } from './chart-model.ts';
import { traceLine } from './chart-paths.ts';
import { type Column, countValues } from './frame.ts';
import type { Item } from './item.ts';
import type { Span } from './range.ts';
import type { Strip } from './strip.ts';
import { moveBy, movedByKey, type Part } from './strip-moves.ts';
import { timeTicks } from './ticks.ts';
import { printSpanLength } from './timestamps.ts';
import './strip-view.css';

interface StripViewProps {
  strip: Strip;
  window: Span;
  zone: string;
  firstDay: number;
  styleOf(item: Item): LineStyle;
  onSpan(span: Span): void;
}

/** The window is loaded this long after the last key. */
const keyPauseMs = 400;

/** The strip: what is drawn, the shades around the window, and three handles that are sliders. */
export const StripView = memo(function StripView(props: StripViewProps) {
  const { strip, window, zone, firstDay, styleOf, onSpan } = props;
  const { root, shown, onKey, drag } = useWindow(strip.span, window, onSpan);
  const { fromMs, toMs } = strip.span;
  const shareOf = (ms: number) => Math.max(0, Math.min(1, (ms - fromMs) / (toMs - fromMs)));
  const [left, right] = [shareOf(shown.fromMs) * 100, shareOf(shown.toMs) * 100];
  const middle = (left + right) / 2;
  // However short the window is, a finger can take hold of it.
  const reach = `max(${(right - left) / 2}%, 12px)`;
  const length = printSpanLength(shown.toMs - shown.fromMs);
  const slider = (part: Part, ms: number, name: string, text: string) => ({
    role: 'slider',
    tabIndex: 0,
    'aria-label': name,
    'aria-orientation': 'horizontal' as const,
    'aria-valuemin': Math.round(fromMs),
    'aria-valuemax': Math.round(toMs),
    'aria-valuenow': Math.round(ms),
    'aria-valuetext': text,
    'data-part': part,
    onKeyDown: onKey(part),
  });
  const [from, to] = [printCivil(zone, Math.round(shown.fromMs)), printCivil(zone, Math.round(shown.toMs))];
  return (
    <section
      ref={root}
      className="strip"
      aria-busy={strip.isLoading}
      aria-label={`Overview from ${printCivil(zone, fromMs)} to ${printCivil(zone, toMs)}`}
      onPointerDown={drag.onDown}
      onPointerMove={drag.onMove}
      onPointerUp={drag.onUp}
      onPointerCancel={drag.onUp}
    >
      <StripLines strip={strip} styleOf={styleOf} />
      <StripTimes span={strip.span} zone={zone} firstDay={firstDay} />
      <div className="strip-shade" style={{ left: 0, width: `${left}%` }} />
      <div className="strip-shade" style={{ left: `${right}%`, right: 0 }} />
      <div className="strip-mark" style={{ left: `${left}%`, width: `${right - left}%` }} />
      <div
        className="strip-handle start"
        style={{ left: `calc(${middle}% - ${reach})` }}
        {...slider('from', shown.fromMs, 'Start of the window', from)}
      />
      <div
        className="strip-window"
        style={{ left: `calc(${middle}% - ${reach})`, width: `calc(2 * ${reach})` }}
        {...slider('window', shown.fromMs, 'Window', `${from} to ${to}, ${length}`)}
      />
      <div
        className="strip-handle end"
        style={{ left: `calc(${middle}% + ${reach})` }}
        {...slider('to', shown.toMs, 'End of the window', to)}
      />
    </section>
  );
});

/** The window while it is moved by hand or key; it is reported once that has ended. */
function useWindow(strip: Span, window: Span, onSpan: (span: Span) => void) {
  const [moved, setMoved] = useState<Span | null>(null);
  const root = useRef<HTMLElement>(null);
  const pause = useRef(0);
  const shown = moved ?? window;
  const commit = (span: Span) => {
    clearTimeout(pause.current);
    setMoved(null);
    onSpan({ fromMs: Math.round(span.fromMs), toMs: Math.round(span.toMs) });
  };
  const onKey = (part: Part) => (event: React.KeyboardEvent) => {
    const next = movedByKey(event, part, shown, strip);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    setMoved(next);
    clearTimeout(pause.current);
    pause.current = globalThis.setTimeout(() => commit(next), keyPauseMs) as unknown as number;
  };
  useEffect(() => () => clearTimeout(pause.current), []);
  const drag = useDrag(root, strip, shown, setMoved, commit);
  return { root, shown, onKey, drag };
}

/** Dragging a handle or the window; a press outside of the window moves it to the pointer. */
function useDrag(
  root: { readonly current: HTMLElement | null },
  strip: Span,
  shown: Span,
  show: (span: Span) => void,
  commit: (span: Span) => void,
) {
  const grip = useRef<{ part: Part; atMs: number; span: Span } | null>(null);
  const atOf = ({ clientX }: { clientX: number }) => {
    const { left, width } = root.current!.getBoundingClientRect();
    return strip.fromMs + ((clientX - left) / width) * (strip.toMs - strip.fromMs);
  };
  const onDown = (event: React.PointerEvent) => {
    if (event.button !== 0) return;
    const part = (event.target as HTMLElement).dataset.part as Part | undefined;
    const atMs = atOf(event);
    const span = part ? shown : moveBy(shown, 'window', atMs - (shown.fromMs + shown.toMs) / 2);
    grip.current = { part: part ?? 'window', atMs, span };
    root.current!.setPointerCapture(event.pointerId);
    if (!part) show(span);
  };
  const onMove = (event: React.PointerEvent) => {
    const held = grip.current;
    if (held) show(moveBy(held.span, held.part, atOf(event) - held.atMs));
  };
  const onUp = (event: React.PointerEvent) => {
    const held = grip.current;
    grip.current = null;
    if (!held) return;
    const next = moveBy(held.span, held.part, atOf(event) - held.atMs);
    // A click on the window itself moves nothing.
    if (next.fromMs !== shown.fromMs || next.toMs !== shown.toMs || held.span !== shown) commit(next);
  };
  return { onDown, onMove, onUp };
}

const drawnHeight = 44;

/** The lines, each from its own min to its own max: only their shape counts here. */
function StripLines({ strip, styleOf }: { strip: Strip; styleOf(item: Item): LineStyle }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => canvas.current && drawStrip(canvas.current, strip, styleOf);
    const ending = new AbortController();
    const sizes = new ResizeObserver(draw);
    sizes.observe(canvas.current!);
    onTheme(draw, ending.signal);
    return () => {
      sizes.disconnect();
      ending.abort();
    };
  }, [strip, styleOf]);
  return <canvas ref={canvas} className="strip-lines" />;
}

function drawStrip(canvas: HTMLCanvasElement, strip: Strip, styleOf: (item: Item) => LineStyle): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.round(drawnHeight * ratio);
  const context = canvas.getContext('2d')!;
  const colors = getComputedStyle(canvas);
  const { rows, span } = strip;
  if (!rows) return;
  const xOf = (ms: number) => Math.round(((ms - span.fromMs) / (span.toMs - span.fromMs)) * canvas.width);
  context.lineWidth = ratio;
  context.globalAlpha = 0.8;
  for (const item of strip.items) {
    const column = rows.columns.get(`${item.id}_avg`);
    if (!column || countValues(column) === 0) continue;
    const [min, max] = endsOf(column);
    const innerHeight = canvas.height - 4 * ratio;
    const yOf = (value: number) =>
      2 * ratio + (max === min ? innerHeight / 2 : ((max - value) / (max - min)) * innerHeight);
    const path = new Path2D();
    const range = { timesMs: rows.timesMs, gaps: [], from: 0, to: rows.timesMs.length - 1 };
    traceLine(path, column, range, { xOf, yOf }, false);
    context.strokeStyle = colors.getPropertyValue(styleOf(item).color).trim();
    context.stroke(path);
  }
}

function endsOf(column: Column): [min: number, max: number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value === undefined) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return [min, max];
}

function StripTimes({ span, zone, firstDay }: { span: Span; zone: string; firstDay: number }) {
  const ticks = timeTicks({ ...span, zone, firstDay, countMax: 7 });
  return (
    <div className="strip-times" aria-hidden="true">
      {ticks.map(({ ms, text, context }) => (
        <span key={ms} style={{ left: `${((ms - span.fromMs) / (span.toMs - span.fromMs)) * 100}%` }}>
          {context === '' ? text : `${text} ${context}`}
        </span>
      ))}
    </div>
  );
}
