/** The options of a benchmark run, which are passed to each of its parts. */
import { type Figure, printFigure } from './report.ts';

/** How much to measure, and where to show it. */
export interface Run {
  /** How long each rate is measured, s. */
  seconds: number;
  /** How often each question is asked. */
  times: number;
  /** Small data: whether everything works, not how fast it is. */
  isTiny: boolean;
  /** Shows figures as soon as they are known; gives them back. */
  print(figures: Figure[]): Figure[];
}

/** A run that prints to standard output. */
export function printingRun(options: Omit<Run, 'print'>): Run {
  const print = (figures: Figure[]) => {
    for (const figure of figures) process.stdout.write(`${printFigure(figure)}\n`);
    return figures;
  };
  return { ...options, print };
}
