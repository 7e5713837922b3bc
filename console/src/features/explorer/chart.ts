/**
 * The chart: lines and bands of states over time, drawn by uPlot. The only file that knows uPlot; what is shown comes as a
 * {@link ChartModel}, what people do with it goes out as {@link ChartEvents}. Long because all that touches uPlot is here.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { onTheme } from '../../platform/theme/on-theme.ts';
import { axesOf, type ChartAxis, type Panel, panelAt, panelOfScale, reachOf, scaleOfPanel } from './axes.ts';
import {
  type AxisLabel,
  type Box,
  LabelLayer,
  laneLabels,
  timeLabels,
  type ValueAxis,
  valueLabels,
  valueTicksMax,
} from './chart-labels.ts';
import { drawLanes, laneHeight } from './chart-lanes.ts';
import type { ChartLine, ChartModel } from './chart-model.ts';
import { MeasuredPen, type Plane, traceBand, traceBars, traceLine } from './chart-paths.ts';
import { paintPicture } from './chart-picture.ts';
import { listenToGestures } from './gestures.ts';
import { placePinsAt, placeTipAt } from './pin-layer.ts';
import type { Span } from './range.ts';
import { timeTicks, valueTicks } from './ticks.ts';

const axisWidth = 58;
const axisHeight = 42;
const thickLinesMax = 8;
const hoveredLinesMax = 12;
/** The longest stroke that is dashed, device pixels. */
const dashedLengthMax = 300_000;

/** What a chart reports. */
export interface ChartEvents {
  /** A zoom or pan has ended. */
  onSpan(span: Span): void;
  /** The row under the pointer, and the instant; null: none. */
  onCursor(row: number | null, atMs: number): void;
  onPick(row: number): void;
  /** Zooming out was asked for, by a double click. */
  onReset(): void;
}

/** A chart in an element, as wide and as high as that is; `pins` lies over it, and is kept in step. */
export class Chart {
  readonly #root: HTMLElement;
  readonly #pins: HTMLElement;
  readonly #events: ChartEvents;
  readonly #labels = new LabelLayer();
  readonly #ending = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #colors = new Map<string, string>();
  #plot: uPlot | null = null;
  #model: ChartModel | null = null;
  #structure = '';
  /** Holds the canvas, and cuts off what a gesture moves out of the plotting area. */
  #frame: HTMLElement | null = null;
  /** The span that a gesture shows; null: what is drawn is what is meant. */
  #preview: Span | null = null;
  /** The axes of visible lines; there may be more than fit. */
  #axes: readonly ChartAxis[] = [];
  /** Axes without a value in sight: they have no numbers. */
  readonly #emptyAxes = new Set<string>();
  /** Where the pointer is, from the top of the chart; null: the cursor was moved by a key. */
  #pointerY: number | null = null;
  /** The cursor was put there by the program: not to be reported. */
  #isQuiet = false;
  #isOverLanes = false;
  /** Where the button of the mouse went down. */
  #downX = 0;
  /** The instant of the cursor, by pointer or key. */
  #cursorMs: number | null = null;

  constructor(root: HTMLElement, pins: HTMLElement, events: ChartEvents) {
    this.#root = root;
    this.#pins = pins;
    this.#events = events;
    this.#sizes = new ResizeObserver(() => this.#resize());
    this.#sizes.observe(root);
    const repaint = () => {
      this.#colors.clear();
      this.#structure = '';
      if (this.#model) this.show(this.#model);
    };
    const { signal } = this.#ending;
    onTheme(repaint, signal);
    root.addEventListener('pointermove', (event) => this.#trackPointer(event), { signal });
    root.addEventListener('keydown', () => (this.#pointerY = null), { signal });
    root.addEventListener('pointerleave', () => this.#leaveLanes(), { signal });
  }

  /** Shows this, in place of what was shown. During a pan or zoom its span stays. */
  show(model: ChartModel): void {
    const span = this.#preview ?? model.span;
    this.#model = model;
    const structure = structureOf(model);
    if (this.#plot === null || structure !== this.#structure) this.#rebuild(model, structure);
    else this.#plot.setData(dataOf(model), false);
    this.#plot!.batch(() => {
      for (const [i, line] of model.lines.entries()) this.#showLine(1 + i, line);
      this.#plot!.setScale('x', { min: span.fromMs, max: span.toMs });
    });
    this.#moveCanvas('', '');
  }

  setCursor(row: number | null): void {
    const plot = this.#plot;
    if (!plot || !this.#model) return;
    const atMs = row === null ? undefined : this.#model.timesMs[row];
    this.#isQuiet = true;
    if (atMs === undefined) plot.setCursor({ left: -10, top: -10 });
    else plot.setCursor({ left: plot.valToPos(atMs, 'x'), top: plot.over.clientHeight / 2 });
    this.#isQuiet = false;
    this.#showCursor(atMs ?? null);
  }

  placePins(): void {
    if (!this.#plot) return;
    const box = plotBox(this.#plot);
    placePinsAt(this.#pins, this.span(), box);
    placeTipAt(this.#pins, this.span(), box, this.#pointerY);
  }

  /** The chart as a PNG, with a title above it and names of lines below it. */
  picture(title: string): Promise<Blob> {
    const { width, height } = this.#root.getBoundingClientRect();
    const lines = this.#model?.lines.filter(({ isVisible }) => isVisible) ?? [];
    return paintPicture({
      chart: this.#plot!.ctx.canvas,
      width,
      height,
      labels: this.#labels.shown,
      title,
      legend: lines.map(({ name, style }) => ({ name, color: this.#color(style.color) })),
      colorOf: (name) => this.#color(name),
    });
  }

  /** Marks a time range; null: none. */
  select(span: Span | null): void {
    const plot = this.#plot;
    if (!plot) return;
    const left = span === null ? 0 : plot.valToPos(span.fromMs, 'x');
    const right = span === null ? 0 : plot.valToPos(span.toMs, 'x');
    plot.setSelect(
      { left, top: 0, width: right - left, height: span === null ? 0 : plot.over.clientHeight },
      false,
    );
  }

  span(): Span {
    return this.#preview ?? this.#drawnSpan();
  }

  #drawnSpan(): Span {
    const { min, max } = this.#plot?.scales.x ?? {};
    if (min == null || max == null) return this.#model?.span ?? { fromMs: 0, toMs: 1 };
    return { fromMs: min, toMs: max };
  }

  destroy(): void {
    this.#ending.abort();
    this.#sizes.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #rebuild(model: ChartModel, structure: string): void {
    this.#plot?.destroy();
    this.#structure = structure;
    this.#root.classList.toggle('lanes-only', model.lines.length === 0);
    this.#plot = new uPlot(this.#options(model), dataOf(model), this.#root);
    const wrap = this.#plot.root.querySelector<HTMLElement>('.u-wrap')!;
    this.#frame = document.createElement('div');
    this.#frame.className = 'chart-canvas';
    wrap.insertBefore(this.#frame, this.#plot.ctx.canvas);
    this.#frame.append(this.#plot.ctx.canvas);
    wrap.append(this.#labels.element);
    this.#plot.over.addEventListener('click', (event) => this.#reportPick(event));
    listenToGestures({
      surface: this.#plot.over,
      span: () => this.span(),
      show: (span) => this.#showPreview(span),
      onBegin: () => this.setCursor(null),
      onEnd: (span) => this.#endPreview(span),
    });
  }

  /**
   * Shows another span by moving and stretching what is drawn: lines of 100,000 points take longer than a frame, and what
   * lies outside of the drawn span is not loaded anyway.
   */
  #showPreview(span: Span): void {
    const drawn = this.#drawnSpan();
    this.#preview = span;
    const { left, width } = plotBox(this.#plot!);
    const length = span.toMs - span.fromMs;
    const shift = ((drawn.fromMs - span.fromMs) / length) * width;
    const scale = (drawn.toMs - drawn.fromMs) / length;
    const right = this.#root.clientWidth - left - width;
    this.#moveCanvas(
      `translateX(${left + shift}px) scaleX(${scale}) translateX(${-left}px)`,
      `inset(0 ${right}px 0 ${left}px)`,
    );
    this.#showLabels(this.#plot!);
  }

  #endPreview(span: Span): void {
    this.#preview = null;
    this.#plot!.setScale('x', { min: span.fromMs, max: span.toMs });
    this.#moveCanvas('', '');
    this.#events.onSpan(span);
  }

  #moveCanvas(transform: string, clip: string): void {
    if (!this.#plot || !this.#frame) return;
    this.#plot.ctx.canvas.style.transform = transform;
    this.#frame.style.clipPath = clip;
  }

  #showLine(index: number, { isVisible }: ChartLine): void {
    if (this.#plot!.series[index]!.show !== isVisible) this.#plot!.setSeries(index, { show: isVisible });
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#root;
    if (width > 0 && height > 0) this.#plot?.setSize({ width, height });
  }

  #options(model: ChartModel): uPlot.Options {
    const visible = axesOf({ lines: model.lines.filter(({ isVisible }) => isVisible) });
    this.#axes = visible;
    this.#emptyAxes.clear();
    const shown = this.#axesThatFit();
    const top = 8 + model.lanes.length * laneHeight + (model.lines.length > 0 ? 14 : 0);
    const isRight = shown.length > 1 && !model.isPanels;
    const keys = axesOf(model).map(({ key }) => key);
    return {
      width: Math.max(200, this.#root.clientWidth),
      height: Math.max(120, this.#root.clientHeight),
      ms: 1,
      padding: [top, isRight ? 0 : 16, 0, shown.length > 0 ? 0 : 16],
      legend: { show: false },
      focus: { alpha: 1 },
      scales: {
        x: { time: false, range: (_, min, max) => [min, max] },
        ...Object.fromEntries(keys.map((key) => [key, { auto: true, range: this.#rangeOf(key) }])),
      },
      axes: [this.#timeAxis(), ...shown.map((axis, i) => this.#valueAxis(axis, i))],
      series: [{}, ...model.lines.map((line) => this.#series(line, line.axis))],
      cursor: this.#cursor(),
      hooks: {
        setCursor: [(plot) => this.#reportCursor(plot)],
        setSelect: [(plot) => this.#reportSelect(plot)],
        draw: [(plot) => this.#drawAround(plot)],
      },
    };
  }

  /** Panels are below each other, because only few fit side by side. */
  #axesThatFit(): readonly ChartAxis[] {
    if (this.#model!.isPanels) return this.#axes;
    return this.#axes.slice(0, Math.max(2, Math.min(6, Math.floor(this.#root.clientWidth / 230))));
  }

  #timeAxis(): uPlot.Axis {
    return {
      splits: (_, __, min, max) => this.#timeTicks(min, max).map(({ ms }) => ms),
      ...this.#axis(axisHeight),
    };
  }

  #valueAxis({ key }: ChartAxis, index: number): uPlot.Axis {
    const { isPanels } = this.#model!;
    const isLeft = isPanels || index % 2 === 0;
    return {
      scale: key,
      side: isLeft ? 3 : 1,
      splits: (plot, _, min, max) => {
        const panel = this.#panelOf(plot, key);
        const [low, high] = panelOfScale(min, max, panel);
        return valueTicks(low, high, valueTicksMax(panelBox(plot, panel)));
      },
      ...this.#axis(isPanels && index > 0 ? 0 : axisWidth, isPanels || index === 0),
      ...(isPanels ? { ticks: { show: false } } : {}),
    };
  }

  #panelOf(plot: uPlot, key: string): Panel {
    const index = this.#axes.findIndex((axis) => axis.key === key);
    return panelAt(index, this.#axes.length, plotBox(plot).height, this.#model!.isPanels && index >= 0);
  }

  /** Grid and ticks only: texts are elements. */
  #axis(size: number, hasGrid = true): uPlot.Axis {
    const stroke = this.#color('--line');
    return {
      size,
      values: (_, splits) => splits.map(() => ''),
      grid: { show: hasGrid, stroke, width: 1 },
      ticks: { show: true, stroke, width: 1, size: 5 },
    };
  }

  #series(line: ChartLine, scale: string): uPlot.Series {
    const stroke = this.#color(line.style.color);
    return {
      scale,
      stroke: line.isQuiet ? `color-mix(in srgb, ${stroke} 75%, transparent)` : stroke,
      fill: `color-mix(in srgb, ${stroke} ${fillShare(line)}%, transparent)`,
      // Thin strokes are drawn many times faster; among many lines they also hide less.
      width: this.#model!.lines.length > thickLinesMax ? 1 : 1.5,
      dash: dashOf(line),
      show: line.isVisible,
      paths: (plot, index, from, to) => this.#paths(plot, index, from, to),
      points: { size: 5, fill: stroke, stroke, ...this.#points() },
    };
  }

  /** Our own: uPlot's clip at every gap, and bands would be two more series each. */
  #paths(plot: uPlot, index: number, from: number, to: number): uPlot.Series.Paths {
    const line = this.#lineAt(index);
    const { timesMs } = this.#model!;
    const plane = planeOf(plot, line.axis);
    const range = { timesMs, gaps: line.gaps, from, to };
    const stroke = new MeasuredPen(new Path2D());
    const fill = new Path2D();
    const isStep = line.shape === 'step';
    if (line.shape === 'bars') traceBars(fill, line.column, range, plane, this.#barSlot(line));
    else traceLine(stroke, line.column, range, plane, isStep);
    if (line.band && line.shape !== 'bars') traceBand(fill, line.band, range, plane, isStep);
    // Dashes of a line that goes up and down at every pixel cannot be seen, and cost seconds.
    plot.series[index]!.dash = stroke.length > dashedLengthMax ? [] : dashOf(line);
    const hasFill = line.band !== null || line.shape === 'bars';
    return {
      stroke: line.shape === 'bars' ? fill : stroke.pen,
      fill: hasFill ? fill : null,
      clip: this.#clipOf(plot, line.axis),
      flags: 0,
    };
  }

  #barSlot(line: ChartLine) {
    const { lines, widthMs, isPanels } = this.#model!;
    const bars = lines.filter(
      ({ axis, isVisible, shape }) => shape === 'bars' && isVisible && (!isPanels || axis === line.axis),
    );
    return { widthMs, index: Math.max(0, bars.indexOf(line)), count: Math.max(1, bars.length) };
  }

  /** What lies outside of a panel must not run into the next one. */
  #clipOf(plot: uPlot, key: string): Path2D | null {
    if (!this.#model!.isPanels) return null;
    const { left, width, top, height } = plot.bbox;
    const panel = this.#panelOf(plot, key);
    const clip = new Path2D();
    clip.rect(left, top + panel.top * height, width, (panel.bottom - panel.top) * height);
    return clip;
  }

  #rangeOf(key: string): uPlot.Range.Function {
    return (plot) => {
      const [from, to] = plot.series[0]!.idxs ?? [0, -1];
      const { lines, widthMs, ranges } = this.#model!;
      const own = lines.filter(({ axis }) => axis === key);
      const reach = reachOf(own, { from, to }, widthMs > 0, ranges.get(key));
      if (reach === null) this.#emptyAxes.add(key);
      else this.#emptyAxes.delete(key);
      return scaleOfPanel(reach ?? [0, 1], this.#panelOf(plot, key));
    };
  }

  /** Every point if they fit, otherwise only isolated points, which no line reaches. */
  #points(): uPlot.Series.Points {
    return {
      show: (plot, index, from, to) => {
        if (this.#lineAt(index).shape === 'bars') return false;
        const column = plot.data[index]!;
        let count = 0;
        const most = plot.bbox.width / devicePixelRatio / 9;
        for (let row = from; row <= to && count <= most; row++) if (column[row] != null) count++;
        return count <= most;
      },
      filter: (_, index, show) => {
        const { shape, lonely } = this.#lineAt(index);
        return show ? null : shape === 'bars' ? [] : [...lonely];
      },
    };
  }

  /** The line of a series; the first series is the time. */
  #lineAt(index: number): ChartLine {
    return this.#model!.lines[index - 1]!;
  }

  #cursor(): uPlot.Cursor {
    return {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      // Among many lines they would hide more than they show, and cost a frame.
      points: this.#model!.lines.length > hoveredLinesMax ? { show: false } : { size: 8, width: 2 },
      bind: {
        mousedown: (_, __, handler) => (event) => {
          this.#downX = event.clientX;
          // Shift or the middle button pan: see gestures.ts.
          if (event.button === 0 && !event.shiftKey) handler(event);
          return null;
        },
        dblclick: () => () => {
          this.#events.onReset();
          return null;
        },
      },
      dataIdx: (plot, index, hovered) =>
        rowNear(plot.data[index] as ArrayLike<unknown>, hovered, plot, this.#model!.timesMs),
    };
  }

  #reportCursor(plot: uPlot): void {
    if (this.#isQuiet) return;
    const { left, idx } = plot.cursor;
    const isInside = left !== undefined && left >= 0;
    const atMs = isInside ? roundToPixel(plot.posToVal(left, 'x'), this.#drawnSpan(), plotBox(plot)) : null;
    this.#events.onCursor(isInside ? (idx ?? null) : null, atMs ?? 0);
    this.#showCursor(atMs);
  }

  #reportPick({ clientX, shiftKey }: MouseEvent): void {
    if (shiftKey || Math.abs(clientX - this.#downX) > 3) return;
    const { left, idx } = this.#plot!.cursor;
    if (idx != null && left !== undefined && left >= 0) this.#events.onPick(idx);
  }

  /** Lanes say what holds at the cursor. */
  #showCursor(atMs: number | null): void {
    this.#cursorMs = atMs;
    if (this.#plot && this.#model && this.#model.lanes.length > 0) this.#showLabels(this.#plot);
  }

  /** Lanes are above the plotting area, which is all that the library listens to. */
  #trackPointer({ clientX, clientY, pointerType }: PointerEvent): void {
    this.#pointerY = clientY - this.#root.getBoundingClientRect().top;
    const plot = this.#plot;
    if (!plot || pointerType !== 'mouse' || !this.#model || this.#model.lanes.length === 0) return;
    const { left, top, width } = plot.over.getBoundingClientRect();
    this.#isOverLanes = clientY < top && clientX >= left && clientX <= left + width;
    if (this.#isOverLanes) plot.setCursor({ left: clientX - left, top: 0 });
  }

  #reportSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4 || this.#isQuiet) return;
    const span = { fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(left + width, 'x') };
    this.select(null);
    this.#events.onSpan({
      fromMs: Math.round(span.fromMs),
      toMs: Math.max(Math.round(span.fromMs) + 1, Math.round(span.toMs)),
    });
  }

  /** The library does not see how the pointer leaves from there. */
  #leaveLanes(): void {
    if (this.#isOverLanes) this.#plot?.setCursor({ left: -10, top: -10 });
    this.#isOverLanes = false;
  }

  #timeTicks(fromMs: number, toMs: number) {
    const width = this.#root.clientWidth;
    const { zone, firstDay } = this.#model!;
    return timeTicks({ fromMs, toMs, zone, firstDay, countMax: Math.max(2, Math.floor(width / 84)) });
  }

  #drawAround(plot: uPlot): void {
    drawLanes(this.#model!.lanes, {
      context: plot.ctx,
      left: plot.bbox.left,
      width: plot.bbox.width,
      top: 4 * devicePixelRatio,
      ratio: devicePixelRatio,
      xOf: (ms) => plot.valToPos(ms, 'x', true),
      colorOf: (name) => this.#color(name),
    });
    this.#showLabels(plot);
  }

  #showLabels(plot: uPlot): void {
    const model = this.#model!;
    const span = this.span();
    const ticks = this.#timeTicks(span.fromMs, span.toMs);
    this.#labels.show([
      ...timeLabels(ticks, span, plotBox(plot), this.#root.clientWidth),
      ...this.#valueLabels(plot),
      ...laneLabels(model.lanes, plotBox(plot), this.#preview ? null : this.#cursorMs),
    ]);
    this.placePins();
  }

  #valueLabels(plot: uPlot): AxisLabel[] {
    const axes = this.#axesThatFit().map(({ key, unit, lines }): ValueAxis => {
      const { min, max } = plot.scales[key]!;
      const panel = this.#panelOf(plot, key);
      const hasEnds = min != null && max != null && !this.#emptyAxes.has(key);
      const colors = [...new Set(lines.filter(({ isQuiet }) => !isQuiet).map(({ style }) => style.color))];
      const title = unit || (lines.length === 1 ? lines[0]!.name : '');
      return { title, colors, panel, ends: hasEnds ? panelOfScale(min, max, panel) : null };
    });
    return valueLabels(axes, plotBox(plot), axisWidth, this.#model!.isPanels);
  }

  #color(name: string): string {
    let value = this.#colors.get(name);
    if (value === undefined) {
      value = getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888';
      this.#colors.set(name, value);
    }
    return value;
  }
}

/** What cannot be changed in a chart that is there: then it is made anew. */
function structureOf({ lines, lanes, isPanels }: ChartModel): string {
  const parts = lines.map(({ key, axis, style, isQuiet, shape }) => [key, axis, style, isQuiet, shape]);
  const axes = axesOf({ lines: lines.filter(({ isVisible }) => isVisible) }).map(({ key }) => key);
  return JSON.stringify([parts, lanes.map(({ key }) => key), axes, isPanels]);
}

function dataOf({ timesMs, lines }: ChartModel): uPlot.AlignedData {
  return [timesMs, ...lines.map(({ column }) => column)] as uPlot.AlignedData;
}

function dashOf({ isQuiet, style }: ChartLine): number[] {
  return isQuiet ? [7, 5] : [...style.dash];
}

/** How much of its colour an area has, percent: a band is behind its line, bars are all there is. */
function fillShare({ shape, isQuiet }: ChartLine): number {
  if (shape !== 'bars') return 18;
  return isQuiet ? 25 : 70;
}

/** Where instants and values are on the canvas. */
function planeOf({ bbox: { left, top, width, height }, scales }: uPlot, scale: string): Plane {
  const [xMin, xMax] = [scales.x!.min!, scales.x!.max!];
  const [yMin, yMax] = [scales[scale]!.min!, scales[scale]!.max!];
  const perMs = width / (xMax - xMin);
  const perUnit = height / (yMax - yMin);
  return {
    xOf: (ms) => Math.round(left + (ms - xMin) * perMs),
    yOf: (value) => top + (yMax - value) * perUnit,
  };
}

/** The nearest row with a value, at most 30 pixels away; null when there is none. */
function rowNear(
  column: ArrayLike<unknown>,
  row: number,
  plot: uPlot,
  timesMs: ArrayLike<number>,
): number | null {
  if (column[row] != null) return row;
  const atPx = plot.valToPos(timesMs[row] ?? 0, 'x');
  for (let away = 1; away < 500; away++) {
    const candidates = [row - away, row + away].filter((each) => each >= 0 && each < column.length);
    const near = candidates.filter((each) => Math.abs(plot.valToPos(timesMs[each]!, 'x') - atPx) <= 30);
    if (near.length === 0) return null;
    const found = near.find((each) => column[each] != null);
    if (found !== undefined) return found;
  }
  return null;
}

/** An instant under the pointer, on whole seconds where these are finer than a pixel. */
function roundToPixel(ms: number, { fromMs, toMs }: Span, { width }: Box): number {
  const unit = (toMs - fromMs) / width > 1000 ? 1000 : 1;
  return Math.round(ms / unit) * unit;
}

/** The plotting area, CSS pixels. */
function plotBox({ bbox }: uPlot): Box {
  const { left, top, width, height } = bbox;
  const ratio = devicePixelRatio;
  return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
}

/** A panel of the plotting area, CSS pixels. */
function panelBox(plot: uPlot, { top, bottom }: Panel): Box {
  const box = plotBox(plot);
  return { ...box, top: box.top + top * box.height, height: (bottom - top) * box.height };
}
