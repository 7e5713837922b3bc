/** A checked formula as a list of steps for a stack: what evaluation runs, without recursion and in bounded pieces. */
import { compute, type Pointwise } from './kernel.ts';
import type { SeriesKernel } from './series.ts';

/** One step. `pointwise` and `series` take their operands from the stack's top and leave one value there. */
export type Step =
  | { kind: 'number'; value: number }
  /** Pushes the values of an alias or of a variable. */
  | { kind: 'column'; name: string }
  | { kind: 'pointwise'; operation: Pointwise }
  /** `n` is the literal argument, of gapfill the longest gap in µs. */
  | { kind: 'series'; kernel: SeriesKernel; weight: number; n: number };

/** A formula that is ready to run. */
export interface Program {
  steps: readonly Step[];
  /** Work for one bucket, in about nanoseconds. */
  work: number;
  /** The most columns of intermediate results that exist at one time. */
  columnsMax: number;
  /** Whether a bucket may depend on every other one of the window. */
  needsWhole: boolean;
}

/** Puts steps together and computes at once what depends on numbers only. */
export class ProgramBuilder {
  readonly #steps: Step[] = [];
  /** For each value on the stack, whether it is a column that evaluation must make. */
  readonly #stack: boolean[] = [];
  #work = 0;
  #columnsMax = 1;
  #needsWhole = false;

  number(value: number): void {
    this.#steps.push({ kind: 'number', value });
    this.#stack.push(false);
  }

  column(name: string): void {
    this.#steps.push({ kind: 'column', name });
    this.#stack.push(false);
  }

  /** Applies an operation to the newest values, or folds it into a number when they all are numbers. */
  pointwise(operation: Pointwise): void {
    const operands = this.#steps
      .slice(-operation.arity)
      .map((step) => (step.kind === 'number' ? step.value : null));
    this.#stack.splice(-operation.arity);
    if (operands.every((operand) => operand !== null)) {
      this.#steps.splice(-operation.arity);
      this.number(compute(operation, operands));
      return;
    }
    this.#steps.push({ kind: 'pointwise', operation });
    this.#made(operation.weight);
  }

  series(kernel: SeriesKernel, weight: number, n: number, whole: boolean): void {
    this.#needsWhole ||= whole;
    this.#steps.push({ kind: 'series', kernel, weight, n });
    this.#made(weight);
    this.#stack.splice(-2, 1);
  }

  build(): Program {
    return {
      steps: this.#steps,
      work: this.#work + 1,
      columnsMax: this.#columnsMax,
      needsWhole: this.#needsWhole,
    };
  }

  #made(weight: number): void {
    this.#work += weight;
    this.#stack.push(true);
    // One more than on the stack: the result is made while its operands still exist.
    this.#columnsMax = Math.max(this.#columnsMax, this.#stack.filter(Boolean).length + 1);
  }
}
