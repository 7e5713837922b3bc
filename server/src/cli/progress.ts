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
    this.#output.write(`\r\u001b[K${part === null ? '' : `${bar(part)} `}${this.text(part, count)}`);
  }

  /** The progress in words: count, rate, and the time left if the total is known. */
  text(part: number | null, count: number): string {
    const rate = `${count} ${this.#unit}, ${Math.round(count / Math.max(this.elapsedS, 0.001))} ${this.#unit}/s`;
    return part === null || part === 0
      ? rate
      : `${rate}, ${leftText((this.elapsedS / part) * (1 - part))} left`;
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

function leftText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function bar(part: number): string {
  const filled = Math.round(Math.min(1, part) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(part * 100)).padStart(3)} %`;
}
