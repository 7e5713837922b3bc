/** The questions in SQL, as far as two engines say them alike; both have the tables `point` and `signal`. */
import { weekStartUs } from '../stored.ts';
import { type Ask, askedGroup, secondSignal } from './peer.ts';

/** How an engine says what others say differently. */
export interface SqlDialect {
  /** The number of a bucket of so many µs. */
  bucket(stepUs: number): string;
  /** The day in Europe/Berlin, as anything that can be grouped and ordered by. */
  berlinDay: string;
  /** The average of the values for which a condition holds. */
  averageIf(condition: string): string;
}

/** Each question; the columns are read by {@link pick}. */
export function sqlQuestions({ bucket, berlinDay, averageIf }: SqlDialect): Record<Ask, string> {
  const within = (seconds: number) => `time >= ${weekStartUs} and time < ${weekStartUs + seconds * 1e6}`;
  const week = within(10_080 * 60);
  const all = 'sum(value), min(value), max(value), avg(value), count(*)';
  const of = (n: number) => averageIf(`signal = ${n}`);
  return {
    raw: `select time, value from point where signal = ${secondSignal(0)} and ${within(21_600)} order by time`,
    hours: `select signal, ${bucket(3600e6)} as t, ${all} from point where signal <= 50 and ${week} group by signal, t order by signal, t`,
    window: `select signal, avg(value) from point where signal <= 50 and ${week} group by signal order by signal`,
    minutes: `select signal, ${bucket(60e6)} as t, avg(value) from point where signal > 100 and signal <= 110 and ${within(21_600)} group by signal, t order by signal, t`,
    berlin: `select signal, ${berlinDay} as t, sum(value) from point where signal <= 10 and ${week} group by signal, t order by signal, t`,
    formula: `select ${bucket(3600e6)} as t, (${of(1)} + ${of(2)}) / 2 - ${of(3)} from point where signal <= 3 and ${week} group by t order by t`,
    label: `select number, name from signal where grp = '${askedGroup}' order by number`,
  };
}

/** Out of the columns of an answer those numbers that are compared. */
export function pick(ask: Ask, columns: readonly (readonly unknown[])[]): number[] {
  const ofSignal = (signal: number, column: number) =>
    columns[column].filter((_, row) => Number(columns[0][row]) === signal).map(Number);
  if (ask === 'hours') return ofSignal(8, 2);
  if (ask === 'window') return ofSignal(8, 1);
  if (ask === 'minutes') return ofSignal(secondSignal(2), 2);
  if (ask === 'berlin') return ofSignal(1, 2);
  return columns[ask === 'label' ? 0 : 1].map(Number);
}
