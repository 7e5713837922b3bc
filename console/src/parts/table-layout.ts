/** Columns of tables: which are shown, and how wide they are. */
import type { ReactNode } from 'react';

/** A column. */
export interface Column<T> {
  id: string;
  title: string;
  /** The title is read out only. */
  isTitleHidden?: boolean;
  cell(row: T): ReactNode;
  /** What rows at hand are sorted by; for rows of the service: that the column can be sorted. */
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

/** How columns are laid out. */
export interface Layout {
  /** For `grid-template-columns`. */
  template: string;
  /** Below this the table scrolls sideways, px. */
  widthMin: number;
}

/** A share is never narrower than this, px. */
const shareMin = 92;
const checkWidth = 44;
/** The same on a phone, px. */
const narrowShareMin = 62;

/** How columns are laid out where not as they say themselves. */
export interface LayoutOptions {
  hasCheck: boolean;
  isNarrow: boolean;
  /** By column, px: as the reader has drawn them. */
  widths: Readonly<Record<string, number>>;
}

/** The layout of the columns that are shown. */
export function layoutOf<T>(
  columns: readonly Column<T>[],
  shown: readonly string[],
  { hasCheck, isNarrow, widths }: LayoutOptions,
): Layout {
  const shareMinPx = isNarrow ? narrowShareMin : shareMin;
  const tracks = columns
    .filter(({ id }) => shown.includes(id))
    .map(({ id, width = '1fr' }) => (widths[id] === undefined ? width : `${widths[id]}px`));
  const check = hasCheck ? [`${checkWidth}px`] : [];
  const all = [...check, ...tracks];
  return {
    template: all.map((width) => trackOf(width, shareMinPx)).join(' '),
    widthMin: all.reduce((sum, width) => sum + leastOf(width, shareMinPx), 0),
  };
}

/** Whether columns can be chosen: there are some that are not shown at first. */
export function hasChoice<T>(columns: readonly Column<T>[]): boolean {
  return columns.some(({ isExtra }) => isExtra);
}

/** Column → whether it is shown; the first always is. */
export function visibilityOf(
  columns: readonly Pick<Column<unknown>, 'id' | 'isExtra' | 'isNarrow'>[],
  chosen: readonly string[] | undefined,
  isNarrow: boolean,
): Record<string, boolean> {
  const hasNarrow = isNarrow && columns.some((column) => column.isNarrow);
  const isUsual = (column: Pick<Column<unknown>, 'isExtra' | 'isNarrow'>) =>
    hasNarrow ? column.isNarrow === true : !column.isExtra;
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
