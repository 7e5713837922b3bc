/** SQL as text with bound parameters. A template binds every value, so that no user input ever becomes text. */
import type { Slot } from './search.ts';
import type { SqlValue } from './sql-runner.ts';

/** What a statement binds. */
export type Bound = SqlValue | Slot;

/** A statement or a part of one; `Row` has the columns that it selects. */
export class Sql<Row = unknown> {
  /** Text before, between and after the values: one more than these. */
  readonly fragments: readonly string[];
  readonly values: readonly Bound[];
  declare readonly row?: Row;

  constructor(fragments: readonly string[], values: readonly Bound[]) {
    this.fragments = fragments;
    this.values = values;
  }

  /** The text, with what `parameter` gives in the place of each value, counted from 1. */
  text(parameter: (index: number, value: Bound) => string): string {
    let text = this.fragments[0];
    for (let i = 1; i < this.fragments.length; i++)
      text += parameter(i, this.values[i - 1]) + this.fragments[i];
    return text;
  }
}

/** Collects fragments and values. */
class Builder {
  readonly #fragments = [''];
  readonly #values: Bound[] = [];

  addText(text: string): void {
    this.#fragments[this.#fragments.length - 1] += text;
  }

  add(part: Sql | Bound): void {
    if (!(part instanceof Sql)) {
      this.#values.push(part);
      this.#fragments.push('');
      return;
    }
    this.addText(part.fragments[0]);
    for (let i = 0; i < part.values.length; i++) {
      this.#values.push(part.values[i]);
      this.#fragments.push(part.fragments[i + 1]);
    }
  }

  finish<Row>(): Sql<Row> {
    return new Sql(this.#fragments, this.#values);
  }
}

/** Parts become a part of the text; all other values are bound. */
export function sql<Row = unknown>(
  texts: TemplateStringsArray,
  ...parts: readonly (Sql | Bound)[]
): Sql<Row> {
  const built = new Builder();
  built.addText(texts[0]);
  for (let i = 0; i < parts.length; i++) {
    built.add(parts[i]);
    built.addText(texts[i + 1]);
  }
  return built.finish();
}

/** Parts or values with a separator between them. */
export function join(parts: readonly (Sql | Bound)[], separator = ', '): Sql {
  const built = new Builder();
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) built.addText(separator);
    built.add(parts[i]);
  }
  return built.finish();
}

/** Rows of values, each in parentheses. */
export function valueRows(rows: readonly (readonly Bound[])[]): Sql {
  const built = new Builder();
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < rows[i].length; j++) {
      built.addText(j > 0 ? ', ' : i > 0 ? '), (' : '(');
      built.add(rows[i][j]);
    }
  }
  built.addText(')');
  return built.finish();
}

/** The name of a table or column; of a column also with its table, as in `r.id`. Never from outside. */
export function identifier(text: string): Sql {
  return new Sql([`"${text.replaceAll('.', '"."')}"`], []);
}

/** Inserts rows, which all have the same columns; there is at least one. */
export function insertion(table: Sql, rows: readonly Readonly<Record<string, Bound>>[]): Sql {
  const columns = Object.keys(rows[0]);
  const values = rows.map((row) => columns.map((column) => row[column]));
  return sql`insert into ${table} (${join(columns.map(identifier))}) values ${valueRows(values)}`;
}
