/** Columns of tables: which are shown, and how wide they are. */
import type { ReactNode } from 'react';

/** A column. */
export interface Column<T> {
  id: string;
  title: string;
  /** The title is read out only. */
  isTitleHidden?: boolean;
  cell(row: T): ReactNode;
  /** The value by which rows are sorted. If the service sorts them, only its presence counts. */
  sort?: (row: T) => string | number | null;
  /** A share of the width, or pixels when `px` ends it; default `1fr`. */
  width?: string;
  /** Numbers are aligned to the right. */
  isNumber?: boolean;
  /** Not shown until it is chosen. */
  isExtra?: boolean;
  /** Shown on a phone. A table in which no column says so shows all of them there. */
  isNarrow?: boolean;
}

interface Layout {
  /** For `grid-template-columns`. */
  template: string;
  /** Below this the table scrolls sideways, px. */
  widthMin: number;
}

/** The least width of a share, px. */
const shareMin = 92;
const checkWidth = 44;
/** The same on a phone, px. */
const narrowShareMin = 62;

interface LayoutOptions {
  hasCheck: boolean;
  isNarrow: boolean;
  /** Widths that the user has set, px, by column. */
  widths: Readonly<Record<string, number>>;
}

/** The layout of the visible columns. */
export function layoutOf(
  columns: readonly Pick<Column<never>, 'id' | 'width'>[],
  { hasCheck, isNarrow, widths }: LayoutOptions,
): Layout {
  const shareMinPx = isNarrow ? narrowShareMin : shareMin;
  const tracks = columns.map(({ id, width = '1fr' }) => (id in widths ? `${widths[id]}px` : width));
  const all = hasCheck ? [`${checkWidth}px`, ...tracks] : tracks;
  return {
    template: all.map((width) => trackOf(width, shareMinPx)).join(' '),
    widthMin: all.reduce((sum, width) => sum + leastOf(width, shareMinPx), 0),
  };
}

/** Whether columns can be chosen: there are some that are not shown at first. */
export function hasChoice(columns: readonly ColumnDefaults[]): boolean {
  return columns.some(({ isExtra }) => isExtra);
}

/** What decides whether a column is shown by default. */
export type ColumnDefaults = Pick<Column<never>, 'id' | 'isExtra' | 'isNarrow'>;

/** Column → whether it is shown; the first always is. */
export function visibilityOf(
  columns: readonly ColumnDefaults[],
  chosen: readonly string[] | undefined,
  isNarrow: boolean,
): Record<string, boolean> {
  const hasNarrow = isNarrow && columns.some((column) => column.isNarrow);
  const isUsual = (column: ColumnDefaults) => (hasNarrow ? column.isNarrow === true : !column.isExtra);
  return Object.fromEntries(
    columns.map((column, i) => [
      column.id,
      i === 0 || (chosen && !hasNarrow ? chosen.includes(column.id) : isUsual(column)),
    ]),
  );
}

function trackOf(width: string, shareMinPx: number): string {
  return width.endsWith('fr') ? `minmax(${leastOf(width, shareMinPx)}px, ${width})` : width;
}

function leastOf(width: string, shareMinPx: number): number {
  const number = Number.parseFloat(width);
  return width.endsWith('fr') ? Math.round(shareMinPx * Math.max(1, number)) : number;
}
