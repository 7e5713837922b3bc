/** The texts of axes as elements, not as pixels: they follow the theme and the zoom of the text, and can be read out. */
import { laneHeight } from './chart-lanes.ts';
import type { ChartLane } from './chart-model.ts';
import type { Span } from './range.ts';
import { printNumber, type Tick, valueTicks } from './ticks.ts';

/** A text beside an axis. */
export interface AxisLabel {
  x: number;
  y: number;
  text: string;
  /** `time`, `context`, `left`, `right`, `title`: how it stands to its point, and how it looks. */
  kind: 'time' | 'context' | 'left' | 'right' | 'unit-left' | 'unit-right' | 'lane';
}

/** The plotting area in the chart, CSS pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** An axis of values: nothing stands beside it while it has no ends. */
export interface ValueAxis {
  unit: string;
  low: number | null | undefined;
  high: number | null | undefined;
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
    // Where two have no room the first goes: the second says when a day begins.
    .filter(({ x, text }, i, all) => all[i + 1] === undefined || all[i + 1]!.x - x > text.length * 7.4);
  return [...times, ...contexts];
}

/** How many marks a value axis has room for. */
export function valueTicksMax({ height }: Box): number {
  return Math.max(2, height / 44);
}

/** The numbers beside the axes, by turns at the left and at the right, with the unit on top. */
export function valueLabels(axes: readonly ValueAxis[], box: Box, axisWidth: number): AxisLabel[] {
  return axes.flatMap(({ unit, low, high }, i) => {
    if (low == null || high == null) return [];
    const isLeft = i % 2 === 0;
    const far = Math.floor(i / 2) * axisWidth;
    const x = isLeft ? box.left - far : box.left + box.width + far;
    const labels = valueTicks(low, high, valueTicksMax(box)).map((value): AxisLabel => {
      const y = box.top + ((high - value) / (high - low)) * box.height;
      return { x: isLeft ? x - 9 : x + 9, y, text: printNumber(value), kind: isLeft ? 'left' : 'right' };
    });
    const kind = isLeft ? 'unit-left' : 'unit-right';
    return [...labels, { x, y: box.top - 16, text: unit || 'no unit', kind }];
  });
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
  readonly #used: HTMLSpanElement[] = [];

  constructor() {
    this.element.className = 'chart-labels';
    // The same is said by the chart's own name and the table behind it.
    this.element.setAttribute('aria-hidden', 'true');
  }

  /** Shows these labels and no others. */
  show(labels: readonly AxisLabel[]): void {
    for (const [i, { x, y, text, kind }] of labels.entries()) {
      const element = this.#used[i] ?? this.#add();
      const className = `chart-label ${kind}`;
      if (element.className !== className) element.className = className;
      if (element.textContent !== text) element.textContent = text;
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
