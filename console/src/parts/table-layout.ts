/** Columns of tables: which are shown, and how wide they are. */
import type { ReactNode } from 'react';

/** A column. */
export interface Column<T> {
  id: string;
  title: string;
  cell(row: T): ReactNode;
  /** What rows at hand are sorted by; for rows of the service: that the column can be sorted. */
  sort?: (row: T) => string | number | null;
  /** A share of the width, or pixels when `px` ends it; default `1fr`. */
  width?: string;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Not shown until somebody chooses it. */
  isExtra?: boolean;
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
/** Room at the right for the button that chooses columns. */
const chooserWidth = 36;

/** The layout of the columns that are shown. */
export function layoutOf<T>(
  columns: readonly Column<T>[],
  shown: readonly string[],
  { hasCheck, hasChooser }: { hasCheck: boolean; hasChooser: boolean },
): Layout {
  const widths = columns.filter(({ id }) => shown.includes(id)).map(({ width = '1fr' }) => width);
  const tracks = [
    ...(hasCheck ? [`${checkWidth}px`] : []),
    ...widths.map(trackOf),
    ...(hasChooser ? [`${chooserWidth}px`] : []),
  ];
  const least = widths.reduce((sum, width) => sum + leastOf(width), 0);
  return {
    template: tracks.join(' '),
    widthMin: least + (hasCheck ? checkWidth : 0) + (hasChooser ? chooserWidth : 0),
  };
}

/** Whether somebody may choose columns: there are some that are not shown at first. */
export function hasChoice<T>(columns: readonly Column<T>[]): boolean {
  return columns.some(({ isExtra }) => isExtra);
}

/** Column → whether it is shown; the first always is. */
export function visibilityOf(
  columns: readonly Pick<Column<unknown>, 'id' | 'isExtra'>[],
  chosen: readonly string[] | undefined,
): Record<string, boolean> {
  return Object.fromEntries(
    columns.map(({ id, isExtra }, i) => [id, i === 0 || (chosen ? chosen.includes(id) : !isExtra)]),
  );
}

function trackOf(width: string): string {
  return width.endsWith('fr') ? `minmax(${leastOf(width)}px, ${width})` : width;
}

function leastOf(width: string): number {
  const number = Number.parseFloat(width);
  return width.endsWith('fr') ? Math.round(shareMin * Math.max(1, number)) : number;
}
