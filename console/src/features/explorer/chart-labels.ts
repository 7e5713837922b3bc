/** The texts of axes as elements, not as pixels: they follow the theme and the zoom of the text, and can be read out. */
import type { Panel } from './axes.ts';
import { laneHeight } from './chart-lanes.ts';
import type { ChartLane } from './chart-model.ts';
import type { Span } from './range.ts';
import { printNumber, type Tick, valueTicks } from './ticks.ts';

/** A text at an axis. */
export interface AxisLabel {
  x: number;
  y: number;
  text: string;
  /** `time`, `context`, `left`, `right`, `title`: its position relative to its point, and its style. */
  kind: 'time' | 'context' | 'left' | 'right' | 'unit-left' | 'unit-right' | 'panel-title' | 'lane';
  /** The custom property of its colour; none: that of its kind. */
  color?: string;
  /** Dots before the text, in the colours of the lines that it is about. */
  dots?: readonly string[];
}

/** The plotting area in the chart, CSS pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** An axis of values. */
export interface ValueAxis {
  /** The unit, or the name of its only line where that has none. */
  title: string;
  /** The colours of its lines, as custom properties. */
  colors: readonly string[];
  panel: Panel;
  /** Its lowest and highest value; null: no value in sight, and so no numbers. */
  ends: readonly [low: number, high: number] | null;
}

/** The times below the plotting area, none of them beyond `width`, the right edge of the chart. */
export function timeLabels(
  ticks: readonly Tick[],
  { fromMs, toMs }: Span,
  box: Box,
  width: number,
): AxisLabel[] {
  const y = box.top + box.height;
  const xOf = ({ ms, text }: Tick) =>
    Math.min(width - text.length * 3.4, box.left + ((ms - fromMs) / (toMs - fromMs)) * box.width);
  const times = ticks.map((tick): AxisLabel => ({ x: xOf(tick), y: y + 7, text: tick.text, kind: 'time' }));
  const contexts = ticks
    .filter(({ context }) => context !== '')
    .map((tick): AxisLabel => ({ x: xOf(tick), y: y + 23, text: tick.context, kind: 'context' }))
    // If two overlap, the first is dropped: the second says when a day begins.
    .filter(({ x, text }, i, all) => all[i + 1] === undefined || all[i + 1]!.x - x > text.length * 7.4);
  return [...times, ...contexts];
}

/** The number of marks that fit on a value axis. */
export function valueTicksMax({ height }: Box): number {
  return Math.max(2, height / 44);
}

/** The numbers at the axes with the unit on top: alternately left and right, or in panels all on the left. */
export function valueLabels(
  axes: readonly ValueAxis[],
  box: Box,
  axisWidth: number,
  isPanels: boolean,
): AxisLabel[] {
  return axes.flatMap((axis, i) => {
    const isLeft = isPanels || i % 2 === 0;
    const far = isPanels ? 0 : Math.floor(i / 2) * axisWidth;
    const x = isLeft ? box.left - far : box.left + box.width + far;
    const top = box.top + axis.panel.top * box.height;
    const color = axis.colors.length === 1 ? { color: axis.colors[0]! } : {};
    const head: AxisLabel = isPanels
      ? { x: box.left, y: top - 16, text: axis.title, kind: 'panel-title', dots: axis.colors }
      : { x, y: top - 16, text: axis.title, kind: headKind(axis, isLeft, far, axisWidth), dots: axis.colors };
    return [
      ...numbersOf(axis, box).map((label) => ({
        ...label,
        ...color,
        x: isLeft ? x - 9 : x + 9,
        kind: isLeft ? ('left' as const) : ('right' as const),
      })),
      head,
    ];
  });
}

/** Widths of a bold character and of a dot, about px. */
const headCharacter = 7;
const headDot = 11;

/** A title stands over the numbers of its axis; a longer one begins at the axis, and goes into the space above the plot. */
function headKind(
  { title, colors }: ValueAxis,
  isLeft: boolean,
  far: number,
  axisWidth: number,
): 'unit-left' | 'unit-right' {
  const isLong = title.length * headCharacter + colors.length * headDot > axisWidth;
  return isLeft === (isLong && far === 0) ? 'unit-right' : 'unit-left';
}

function numbersOf({ ends, panel }: ValueAxis, box: Box): Pick<AxisLabel, 'y' | 'text'>[] {
  if (ends === null) return [];
  const [low, high] = ends;
  const top = box.top + panel.top * box.height;
  const height = (panel.bottom - panel.top) * box.height;
  return valueTicks(low, high, valueTicksMax({ ...box, height })).map((value) => ({
    y: top + ((high - value) / (high - low)) * height,
    text: printNumber(value),
  }));
}

/** The titles of lanes, with what holds where the cursor is. */
export function laneLabels(lanes: readonly ChartLane[], { left }: Box, cursorMs: number | null): AxisLabel[] {
  return lanes.map(({ title, sayAt }, i) => {
    const text = cursorMs === null ? title : `${title}: ${sayAt(cursorMs)}`;
    return { x: left, y: 4 + i * laneHeight, text, kind: 'lane' };
  });
}

/** A layer of labels over a chart; elements are used again, so that drawing 60 times a second stays cheap. */
export class LabelLayer {
  readonly element = document.createElement('div');
  shown: readonly AxisLabel[] = [];
  readonly #used: HTMLSpanElement[] = [];

  constructor() {
    this.element.className = 'chart-labels';
    // The same is said by the chart's own name and the table behind it.
    this.element.setAttribute('aria-hidden', 'true');
  }

  show(labels: readonly AxisLabel[]): void {
    this.shown = labels;
    for (const [i, label] of labels.entries()) {
      const { x, y, text, kind, color, dots = [] } = label;
      const element = this.#used[i] ?? this.#add();
      const className = `chart-label ${kind}`;
      if (element.className !== className) element.className = className;
      const look = `${dots.join(' ')}|${color ?? ''}|${text}`;
      if (element.dataset.look !== look) fillLabel(element, label, look);
      element.style.translate = `${Math.round(x)}px ${Math.round(y)}px`;
      element.hidden = false;
    }
    for (const element of this.#used.slice(labels.length)) element.hidden = true;
  }

  #add(): HTMLSpanElement {
    const element = document.createElement('span');
    this.#used.push(element);
    this.element.append(element);
    return element;
  }
}

function fillLabel(element: HTMLElement, { text, dots = [], color }: AxisLabel, look: string): void {
  element.dataset.look = look;
  element.style.color = color === undefined ? '' : `var(${color})`;
  const marks = dots.map((name) => {
    const dot = document.createElement('i');
    dot.className = 'chart-label-dot';
    dot.style.background = `var(${name})`;
    return dot;
  });
  element.replaceChildren(...marks, text);
}
