/** Columns that several tables have, and the texts of their cells. */
import { Age, Moment, parseMoment } from '../platform/time/moment.tsx';
import { Badge, type BadgeTone, dash } from './badge.tsx';
import { Button } from './button.tsx';
import { Menu, type MenuEntry } from './menu.tsx';
import { printCount } from './number.ts';
import type { Column } from './table-layout.ts';

type ColumnOptions<T> = Partial<Omit<Column<T>, 'id' | 'title' | 'cell'>>;

/** Rows with a time under the name `K`, RFC 3339. */
type Timed<K extends string> = Readonly<Record<K, string | null>>;

/** The time in the chosen zone. */
export function momentColumn<K extends string>(
  id: K,
  title: string,
  options: ColumnOptions<Timed<K>> = {},
): Column<Timed<K>> {
  return { id, title, width: '1.6fr', cell: (row) => <Moment at={row[id]} />, ...options };
}

/** How long ago it was; sorted by time. */
export function ageColumn<K extends string>(
  id: K,
  title: string,
  options: ColumnOptions<Timed<K>> = {},
): Column<Timed<K>> {
  return {
    id,
    title,
    width: '1.2fr',
    sort: (row) => parseMoment(row[id]),
    cell: (row) => <Age at={row[id]} />,
    ...options,
  };
}

/** A number, sorted by its value. */
export function numberColumn<T>(
  id: string,
  title: string,
  numberOf: (row: T) => number,
  print: (number: number) => string = printCount,
): Column<T> {
  return { id, title, isNumber: true, sort: numberOf, cell: (row) => print(numberOf(row)) };
}

interface TextOptions<T> extends ColumnOptions<T> {
  isCode?: boolean;
  /** It names the row. */
  isName?: boolean;
}

/** A text in full as the tooltip; without a text a dash. */
export function textColumn<T>(
  id: string,
  title: string,
  textOf: (row: T) => string,
  { isCode = false, isName = false, ...options }: TextOptions<T> = {},
): Column<T> {
  const Element = isCode ? 'code' : 'span';
  const cell = (row: T) => {
    const text = textOf(row);
    if (text === '') return dash;
    return (
      <Element className={isName ? 'table-name' : undefined} title={text}>
        {text}
      </Element>
    );
  };
  return { id, title, cell, ...options };
}

/** A state in one or two words, and the colour that repeats it. */
export function badgeColumn<T>(
  id: string,
  title: string,
  stateOf: (row: T) => readonly [text: string, tone?: BadgeTone],
  options: ColumnOptions<T> = {},
): Column<T> {
  const cell = (row: T) => {
    const [text, tone] = stateOf(row);
    return <Badge tone={tone}>{text}</Badge>;
  };
  return { id, title, cell, ...options };
}

/** A menu at the end of each row. */
export function menuColumn<T>(
  nameOf: (row: T) => string,
  entriesOf: (row: T) => readonly (MenuEntry | null)[],
): Column<T> {
  return lastColumn('60px', (row) => (
    <Menu label={`Actions for ${nameOf(row)}`} isTiny entries={entriesOf(row)} />
  ));
}

/** The last column of a table, without a visible title: what can be done with the row. */
export function lastColumn<T>(width: string, cell: Column<T>['cell']): Column<T> {
  return {
    id: 'actions',
    title: 'Actions',
    isTitleHidden: true,
    width,
    cell: (row) => <div className="table-actions">{cell(row)}</div>,
  };
}

/** A button with an extract of a code, which shows the whole. */
export function extractColumn<T>(
  id: string,
  title: string,
  textOf: (row: T) => string,
  show: (row: T) => void,
): Column<T> {
  const cell = (row: T) => (
    <Button isTiny tone="plain" onPress={() => show(row)}>
      <code className="cut">{textOf(row)}</code>
    </Button>
  );
  return { id, title, width: '2fr', cell };
}

/** A name that links to the page of its row. */
export function linkColumn<T>(
  title: string,
  nameOf: (row: T) => string,
  hrefOf: (row: T) => string,
  titleOf?: (row: T) => string,
): Column<T> {
  const cell = (row: T) => (
    <a className="table-name" href={hrefOf(row)} title={titleOf?.(row)}>
      {nameOf(row)}
    </a>
  );
  return { id: 'name', title, width: '2fr', sort: nameOf, cell };
}
