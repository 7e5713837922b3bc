/**
 * The chart: lines and bands of states over time, drawn by uPlot. The only file that knows uPlot; what is shown comes as a
 * {@link ChartModel}, what people do with it goes out as {@link ChartEvents}.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type AxisLabel, LabelLayer } from './explorer/chart-labels.ts';
import { drawLanes, laneHeight } from './explorer/chart-lanes.ts';
import type { ChartLine, ChartModel } from './explorer/chart-model.ts';
import { listenToGestures } from './explorer/gestures.ts';
import type { Span } from './explorer/range.ts';
import { printNumber, timeTicks, valueTicks } from './explorer/ticks.ts';

/** What a chart tells. */
export interface ChartEvents {
  /** Somebody has zoomed or panned, and is done with it. */
  onSpan(span: Span): void;
  /** The row under the pointer or the keyboard's cursor; null: none. */
  onCursor(row: number | null): void;
  /** Zooming out was asked for, by a double click. */
  onReset(): void;
}

/** A chart on a page. */
export interface Chart {
  /** Shows this, in place of what was shown. While somebody pans, their span stays. */
  show(model: ChartModel): void;
  /** Puts the cursor on a row, or takes it away. */
  setCursor(row: number | null): void;
  /** Marks a stretch; null: none. */
  select(span: Span | null): void;
  /** The span in sight now. */
  span(): Span;
  destroy(): void;
}

const axisWidth = 58;
const axisHeight = 42;

/** Makes a chart in an element, as wide and as high as that is. */
export function createChart(root: HTMLElement, events: ChartEvents): Chart {
  return new PlotChart(root, events);
}

class PlotChart implements Chart {
  readonly #root: HTMLElement;
  readonly #events: ChartEvents;
  readonly #labels = new LabelLayer();
  readonly #ending = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #themes: MutationObserver;
  readonly #colors = new Map<string, string>();
  #plot: uPlot | null = null;
  #model: ChartModel | null = null;
  #structure = '';
  #isGesturing = false;
  /** The cursor was put there by the program: not to be told again. */
  #isQuiet = false;

  constructor(root: HTMLElement, events: ChartEvents) {
    this.#root = root;
    this.#events = events;
    this.#sizes = new ResizeObserver(() => this.#resize());
    this.#sizes.observe(root);
    const repaint = () => {
      this.#colors.clear();
      this.#structure = '';
      if (this.#model) this.show(this.#model);
    };
    this.#themes = new MutationObserver(repaint);
    this.#themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const { signal } = this.#ending;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint, { signal });
  }

  show(model: ChartModel): void {
    const span = this.#isGesturing && this.#plot ? this.span() : model.span;
    this.#model = model;
    const structure = structureOf(model);
    if (this.#plot === null || structure !== this.#structure) this.#rebuild(model, structure);
    else this.#plot.setData(dataOf(model), false);
    this.#plot!.batch(() => {
      for (const [i, line] of model.lines.entries()) this.#showLine(1 + 3 * i, line);
      this.#plot!.setScale('x', { min: span.fromMs, max: span.toMs });
    });
  }

  setCursor(row: number | null): void {
    const plot = this.#plot;
    if (!plot || !this.#model) return;
    const atMs = row === null ? undefined : this.#model.timesMs[row];
    this.#isQuiet = true;
    if (atMs === undefined) plot.setCursor({ left: -10, top: -10 });
    else plot.setCursor({ left: plot.valToPos(atMs, 'x'), top: plot.over.clientHeight / 2 });
    this.#isQuiet = false;
  }

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
    const { min, max } = this.#plot?.scales.x ?? {};
    if (min == null || max == null) return this.#model?.span ?? { fromMs: 0, toMs: 1 };
    return { fromMs: min, toMs: max };
  }

  destroy(): void {
    this.#ending.abort();
    this.#sizes.disconnect();
    this.#themes.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #rebuild(model: ChartModel, structure: string): void {
    this.#plot?.destroy();
    this.#structure = structure;
    this.#root.classList.toggle('lanes-only', model.lines.length === 0);
    this.#plot = new uPlot(this.#options(model), dataOf(model), this.#root);
    this.#plot.root.querySelector('.u-wrap')!.append(this.#labels.element);
    listenToGestures({
      surface: this.#plot.over,
      span: () => this.span(),
      show: (span) => this.#plot!.setScale('x', { min: span.fromMs, max: span.toMs }),
      onBegin: () => {
        this.#isGesturing = true;
      },
      onEnd: (span) => {
        this.#isGesturing = false;
        this.#events.onSpan(span);
      },
    });
  }

  #showLine(index: number, line: ChartLine): void {
    const plot = this.#plot!;
    if (plot.series[index]!.show === line.isVisible) return;
    for (const i of [index, index + 1, index + 2]) plot.setSeries(i, { show: line.isVisible });
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#root;
    if (width > 0 && height > 0) this.#plot?.setSize({ width, height });
  }

  #options(model: ChartModel): uPlot.Options {
    const units = unitsOf(model);
    const shown = units.slice(0, Math.max(2, Math.min(6, Math.floor(this.#root.clientWidth / 230))));
    const top = 8 + model.lanes.length * laneHeight + (units.length > 0 ? 14 : 0);
    return {
      width: Math.max(200, this.#root.clientWidth),
      height: Math.max(120, this.#root.clientHeight),
      ms: 1,
      padding: [top, shown.length > 1 ? 0 : 16, 0, shown.length > 0 ? 0 : 16],
      legend: { show: false },
      focus: { alpha: 1 },
      scales: {
        x: { time: false, range: (_, min, max) => [min, max] },
        ...Object.fromEntries(units.map((_, i) => [scaleOf(i), { auto: true, range: yRange }])),
      },
      axes: [
        {
          splits: (_, __, min, max) => this.#timeTicks(min, max).map(({ ms }) => ms),
          ...this.#axis(axisHeight),
        },
        ...shown.map((_, i) => ({
          scale: scaleOf(i),
          side: (i % 2 === 0 ? 3 : 1) as uPlot.Axis.Side,
          splits: (plot: uPlot, __: number, min: number, max: number) =>
            valueTicks(min, max, Math.max(2, plot.bbox.height / devicePixelRatio / 44)),
          ...this.#axis(axisWidth, i === 0),
        })),
      ],
      series: [{}, ...model.lines.flatMap((line) => this.#series(line, scaleOf(units.indexOf(line.unit))))],
      bands: model.lines.flatMap((line, i) =>
        line.band ? [{ series: [3 * i + 3, 3 * i + 2] as [number, number], fill: this.#shade(line) }] : [],
      ),
      cursor: this.#cursor(),
      hooks: {
        setCursor: [(plot) => this.#tellCursor(plot)],
        setSelect: [(plot) => this.#tellSelect(plot)],
        draw: [(plot) => this.#drawAround(plot, shown)],
      },
    };
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

  /** A line, then the lower and the upper edge of the band behind it. */
  #series(line: ChartLine, scale: string): uPlot.Series[] {
    const stroke = this.#color(line.style.color);
    const gaps: uPlot.Series.GapsRefiner = (plot, index, from, to) => this.#gaps(plot, index, from, to);
    const path = line.isStep ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {};
    const common = { scale, gaps, show: line.isVisible, ...path };
    const edge: uPlot.Series = { ...common, stroke: 'transparent', width: 0, points: { show: false } };
    return [
      {
        ...common,
        stroke: line.isQuiet ? `color-mix(in srgb, ${stroke} 55%, transparent)` : stroke,
        width: line.isQuiet ? 1 : 1.5,
        dash: [...(line.isQuiet ? [4, 4] : line.style.dash)],
        points: { size: 5, fill: stroke, stroke, ...this.#points() },
      },
      edge,
      { ...edge },
    ];
  }

  /** Every point where there is room for them, else those that no line reaches. */
  #points(): uPlot.Series.Points {
    return {
      show: (plot, index, from, to) => {
        const column = plot.data[index]!;
        let count = 0;
        const most = plot.bbox.width / devicePixelRatio / 9;
        for (let row = from; row <= to && count <= most; row++) if (column[row] != null) count++;
        return count <= most;
      },
      filter: (_, index, show) => (show ? null : [...this.#lineAt(index).lonely]),
    };
  }

  /** Silence between two values, as stretches of pixels. */
  #gaps(plot: uPlot, index: number, from: number, to: number): uPlot.Series.Gaps {
    const { timesMs } = this.#model!;
    const gaps = this.#lineAt(index).gaps.filter(([before, after]) => after >= from && before <= to);
    return gaps.map((rows) => {
      const [start, end] = rows.map((row) => Math.round(plot.valToPos(timesMs[row]!, 'x', true)));
      return [start!, end!] as uPlot.Series.Gap;
    });
  }

  /** The line of a series: each has three, the first series is the time. */
  #lineAt(index: number): ChartLine {
    return this.#model!.lines[Math.floor((index - 1) / 3)]!;
  }

  #cursor(): uPlot.Cursor {
    return {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { size: 8, width: 2 },
      bind: {
        mousedown: (_, __, handler) => (event) => {
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
        rowNear(plot.data[index] as readonly unknown[], hovered, plot, this.#model!.timesMs),
    };
  }

  #tellCursor({ cursor }: uPlot): void {
    if (this.#isQuiet) return;
    const isInside = cursor.left !== undefined && cursor.left >= 0;
    this.#events.onCursor(isInside ? (cursor.idx ?? null) : null);
  }

  #tellSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4 || this.#isQuiet) return;
    const span = { fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(left + width, 'x') };
    this.select(null);
    this.#events.onSpan({
      fromMs: Math.round(span.fromMs),
      toMs: Math.max(Math.round(span.fromMs) + 1, Math.round(span.toMs)),
    });
  }

  #timeTicks(fromMs: number, toMs: number) {
    const width = this.#root.clientWidth;
    const { zone, firstDay } = this.#model!;
    return timeTicks({ fromMs, toMs, zone, firstDay, countMax: Math.max(2, Math.floor(width / 105)) });
  }

  #drawAround(plot: uPlot, units: readonly string[]): void {
    const model = this.#model!;
    drawLanes(model.lanes, {
      context: plot.ctx,
      left: plot.bbox.left,
      width: plot.bbox.width,
      top: 4 * devicePixelRatio,
      ratio: devicePixelRatio,
      xOf: (ms) => plot.valToPos(ms, 'x', true),
      colorOf: (name) => this.#color(name),
    });
    this.#labels.show([...this.#timeLabels(plot), ...valueLabels(plot, units), ...laneLabels(plot, model)]);
  }

  #timeLabels(plot: uPlot): AxisLabel[] {
    const { fromMs, toMs } = this.span();
    const top = (plot.bbox.top + plot.bbox.height) / devicePixelRatio;
    const ticks = this.#timeTicks(fromMs, toMs);
    const labels: AxisLabel[] = [];
    for (const { ms, text, context } of ticks) {
      const edge = this.#root.clientWidth - text.length * 3.4;
      const x = Math.min(edge, plot.bbox.left / devicePixelRatio + plot.valToPos(ms, 'x'));
      labels.push({ x, y: top + 7, text, kind: 'time' });
      if (context !== '') labels.push({ x, y: top + 23, text: context, kind: 'context' });
    }
    return labels;
  }

  #shade(line: ChartLine): string {
    return `color-mix(in srgb, ${this.#color(line.style.color)} ${line.isQuiet ? 8 : 18}%, transparent)`;
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
function structureOf({ lines, lanes }: ChartModel): string {
  const parts = lines.map(({ key, unit, style, isStep, isQuiet, band }) => [
    key,
    unit,
    style,
    isStep,
    isQuiet,
    band !== null,
  ]);
  return JSON.stringify([parts, lanes.map(({ key }) => key)]);
}

function dataOf({ timesMs, lines }: ChartModel): uPlot.AlignedData {
  const none: undefined[] = new Array(timesMs.length).fill(undefined);
  return [
    timesMs as number[],
    ...lines.flatMap(({ column, band }) => [column, band?.low ?? none, band?.high ?? none]),
  ] as uPlot.AlignedData;
}

/** The units of lines, each once, in the order in which they come. */
function unitsOf({ lines }: ChartModel): string[] {
  return [...new Set(lines.map(({ unit }) => unit))];
}

function scaleOf(unit: number): string {
  return `y${unit}`;
}

/** A little air above and below; a constant gets room around it. */
function yRange(_: uPlot, min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const room = (max - min) * 0.06 || Math.abs(max) * 0.1 || 1;
  return [min - room, max + room];
}

/** The nearest row with a value, at most 30 pixels away; null when there is none. */
function rowNear(
  column: readonly unknown[],
  row: number,
  plot: uPlot,
  timesMs: readonly number[],
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

function valueLabels(plot: uPlot, units: readonly string[]): AxisLabel[] {
  const { left, top, width, height } = scaled(plot);
  return units.flatMap((unit, i) => {
    const { min, max } = plot.scales[scaleOf(i)]!;
    if (min == null || max == null) return [];
    const isLeft = i % 2 === 0;
    const far = Math.floor(i / 2) * axisWidth;
    const x = isLeft ? left - far - 9 : left + width + far + 9;
    const marks = valueTicks(min, max, Math.max(2, height / 44));
    const labels = marks.map(
      (value): AxisLabel => ({
        x,
        y: top + plot.valToPos(value, scaleOf(i)),
        text: printNumber(value),
        kind: isLeft ? 'left' : 'right',
      }),
    );
    labels.push({
      x: isLeft ? left - far : left + width + far,
      y: top - 16,
      text: unit || 'no unit',
      kind: isLeft ? 'unit-left' : 'unit-right',
    });
    return labels;
  });
}

function laneLabels(plot: uPlot, { lanes }: ChartModel): AxisLabel[] {
  const { left } = scaled(plot);
  return lanes.map(
    ({ title }, i): AxisLabel => ({ x: left, y: 4 + i * laneHeight, text: title, kind: 'lane' }),
  );
}

function scaled({ bbox }: uPlot): { left: number; top: number; width: number; height: number } {
  const { left, top, width, height } = bbox;
  const ratio = devicePixelRatio;
  return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
}
