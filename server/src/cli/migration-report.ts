/** What `tidemark migrate` says on stderr while it works: phases, rate and time left. */
import type { MigrationProgress } from '#domain/migration/migration';
import { Progress } from './progress.ts';
import { type Output, printNumber } from './terminal.ts';

/** Where there is no terminal, a line is written this often, s. */
const lineS = 30;

/** Reports to a person, or to the log that the output goes to. */
export class MigrationReport implements MigrationProgress {
  readonly #output: Output;
  readonly #whole: Progress;
  #line: Progress;
  #total = 0;
  #done = 0;
  #saidS = 0;

  constructor(output: Output) {
    this.#output = output;
    this.#whole = new Progress(output);
    this.#line = this.#whole;
  }

  /** Seconds since it was made. */
  get elapsedS(): number {
    return this.#whole.elapsedS;
  }

  phase(text: string, points: number): void {
    this.#line.say(points === 0 ? `${text} …` : `${text}: ${printNumber(points)} …`);
    this.#line = new Progress(this.#output, 'points');
    [this.#total, this.#done, this.#saidS] = [points, 0, 0];
  }

  points(count: number): void {
    this.#done += count;
    const part = Math.min(1, this.#done / Math.max(1, this.#total));
    this.#line.show(part, this.#done);
    const { elapsedS } = this.#line;
    if (this.#output.isTTY === true || elapsedS - this.#saidS < lineS) return;
    this.#saidS = elapsedS;
    this.#line.say(this.#line.text(part, this.#done));
  }

  /** Removes the line. */
  end(): void {
    this.#line.end();
  }
}
