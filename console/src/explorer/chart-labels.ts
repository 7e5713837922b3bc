/** The texts of axes as elements, not as pixels: they follow the theme and the zoom of the text, and can be read out. */

/** A text beside an axis. */
export interface AxisLabel {
  x: number;
  y: number;
  text: string;
  /** `time`, `context`, `left`, `right`, `title`: how it stands to its point, and how it looks. */
  kind: 'time' | 'context' | 'left' | 'right' | 'unit-left' | 'unit-right' | 'lane';
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
