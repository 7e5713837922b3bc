/** Which columns of an import hold states, and the declaration of states that a signal does not have yet. */
import { nearestName } from '#domain/formula/suggest';
import { type CellReading, readCell } from './csv/cell.ts';
import type { Layout, SeriesColumn } from './csv/layout.ts';
import { States } from './csv/states.ts';
import type { ImportTarget, TargetSignal } from './import-target.ts';
import { UsageError } from './usage.ts';

/** Titles of the columns whose words become states (`--states`). */
export type StateOptions = readonly string[];

/**
 * Gives states to the columns that are named, and to those with words whose signal has states already. Throws
 * {@link UsageError} where a named column does not exist, or the states of its signal cannot be read.
 */
export async function findStates(
  target: ImportTarget,
  { series }: Layout,
  rows: readonly (readonly string[])[],
  named: StateOptions,
  reading: CellReading,
): Promise<void> {
  for (const title of named) requireSeries(title, series);
  const hasWords = ({ index }: SeriesColumn) =>
    rows.some((row) => Number.isNaN(readCell(row[index] ?? '', null, reading)));
  const columns = series.filter((column) => named.includes(column.title) || hasWords(column));
  if (columns.length === 0) return;
  const stored = await target.states(columns.map(({ key }) => key));
  for (const column of columns) {
    const enumValues = stored.get(column.key);
    const grows = named.includes(column.title);
    if (grows || (enumValues !== undefined && enumValues.size > 0))
      column.states = new States(enumValues ?? new Map(), grows);
  }
}

function requireSeries(title: string, series: readonly SeriesColumn[]): void {
  const titles = series.map((column) => column.title);
  if (titles.includes(title)) return;
  const near = nearestName(title, titles);
  const hint = near === null ? '' : `; did you mean ${JSON.stringify(near)}?`;
  throw new UsageError(`--states: no imported column is named ${JSON.stringify(title)}${hint}`);
}

/** Adds the states that have come up since the last time to their signals; gives those signals by input key. */
export async function declareStates(
  target: ImportTarget,
  series: readonly SeriesColumn[],
): Promise<Map<string, TargetSignal>> {
  const declared = new Map<string, TargetSignal>();
  for (const { key, title, states } of series) {
    if (states === null || !states.isChanged) continue;
    declared.set(key, await target.declare(key, title.slice(0, 128), states.enumValues));
    states.isChanged = false;
  }
  return declared;
}
