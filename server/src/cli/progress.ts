/** A progress line on stderr, when it is a terminal. */
import type { Output } from './terminal.ts';

const redrawMs = 100;
const barWidth = 24;

/** Draws one line repeatedly; draws nothing when the output is not a terminal. */
export class Progress {
  readonly #output: Output;
  readonly #unit: string;
  readonly #startMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;

  /** `unit` is what is counted. */
  constructor(output: Output, unit = 'rows') {
    this.#output = output;
    this.#unit = unit;
  }

  /** Seconds since it was made. */
  get elapsedS(): number {
    return (performance.now() - this.#startMs) / 1000;
  }

  /** Shows the progress; `part` is 0..1, or null when the total is not known. */
  show(part: number | null, count: number): void {
    const nowMs = performance.now();
    if (!this.#output.isTTY || nowMs - this.#drawnMs < redrawMs) return;
    this.#drawnMs = nowMs;
    const rate = `${Math.round(count / Math.max(this.elapsedS, 0.001))} ${this.#unit}/s`;
    this.#output.write(`\r\u001b[K${part === null ? '' : `${bar(part)} `}${count} ${this.#unit}, ${rate}`);
  }

  /** Prints a line above the progress line. */
  say(text: string): void {
    this.#output.write(`${this.#output.isTTY ? '\r\u001b[K' : ''}${text}\n`);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  /** Removes the line. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}

function bar(part: number): string {
  const filled = Math.round(Math.min(1, part) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(part * 100)).padStart(3)} %`;
}
