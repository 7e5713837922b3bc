/** Copies the metadata from one store into another, row by row, so that both are equal. */
import type { MetaRows, MetaTable, StoredRow } from '#storage/meta-store';

/** Rows that are compared at a time. */
const rowsAtOnce = 1000;

/** Numbers of signals that are taken at a time. */
const numbersAtOnce = 100_000;

/** What a copy found: rows of the source, and rows of the target that were written or deleted. */
export interface RowsCopied {
  rows: number;
  changed: number;
}

/** Makes the target's rows those of the source. */
export async function copyRows(
  source: MetaRows,
  target: MetaRows,
  onRows: (table: MetaTable, rows: number) => void,
): Promise<RowsCopied> {
  const total = { rows: 0, changed: 0 };
  for (const table of source.tables) {
    for await (const { rows, changed } of copyTable(source, target, table)) {
      total.rows += rows;
      total.changed += changed;
      onRows(table, rows);
    }
  }
  return total;
}

async function* copyTable(source: MetaRows, target: MetaRows, table: MetaTable): AsyncGenerator<RowsCopied> {
  for (let after: StoredRow | null = null; ; ) {
    const rows: StoredRow[] = await source.page(table, after, rowsAtOnce);
    const through: StoredRow | null = rows.length < rowsAtOnce ? null : rows[rows.length - 1];
    const present = await target.between(table, after, through);
    const isEqual = printRows(rows) === printRows(present);
    if (!isEqual) await target.replace(table, after, through, rows);
    yield { rows: rows.length, changed: isEqual ? 0 : Math.max(rows.length, present.length) };
    if (through === null) return;
    after = through;
  }
}

/** Columns of two databases come in different orders. */
function printRows(rows: readonly StoredRow[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.keys(row)
        .sort()
        .map((column) => [column, row[column]]),
    ),
  );
}

/** Takes numbers of signals in the target until they are beyond those of the source. */
export async function raiseNumbers(source: MetaRows, target: MetaRows): Promise<void> {
  const wanted = await source.takeNumbers(1);
  for (let last = await target.takeNumbers(1); last < wanted; )
    last = await target.takeNumbers(Math.min(numbersAtOnce, wanted - last));
}
