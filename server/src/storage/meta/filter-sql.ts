/** Filters and sort keys as SQL (R13, R14). Every operand is a bound parameter; names of columns come from our own tables. */

import { bug } from '#model/error';
import type { Comparison, FieldPath, Filter, Operand, ScalarField, SortKey } from '#model/filter';
import type { SqlDialect } from './dialect.ts';
import { type Column, type ColumnKind, type FilterableTables, mapColumns } from './resource.ts';
import { identifier, join, type Sql, sql } from './sql.ts';

const always: Sql = sql`1 = 1`;
const never: Sql = sql`1 = 0`;
const signs = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` };

/** The form of the keys that can be stored (R2); no resource has an entry under any other key. */
const keyPattern = /^[A-Za-z0-9\-_/]{1,128}$/;

/** Writes filters and orders over rows `r` of one kind of resource. A condition that is null counts as not met. */
export class FilterSql {
  readonly #tables: FilterableTables;
  readonly #dialect: SqlDialect;
  readonly #id: Sql;
  readonly #isNarrowed: boolean;

  /**
   * `id` is where the ID of a row is. With `isNarrowed` a condition that is more selective than a label leads to the rows, so labels
   * are looked up for each row.
   */
  constructor(tables: FilterableTables, dialect: SqlDialect, id: Sql, isNarrowed: boolean) {
    this.#tables = tables;
    this.#dialect = dialect;
    this.#id = id;
    this.#isNarrowed = isNarrowed;
  }

  /** The condition under which a row passes a filter without patterns. */
  condition(filter: Filter): Sql {
    if (filter.op === 'and' || filter.op === 'or') {
      const parts = filter.filters.map((part) => this.condition(part));
      return filter.op === 'and' ? all(parts) : any(parts);
    }
    const { path } = filter;
    if ('key' in path) return this.#entry(filter, path);
    const column = this.#column(path.field);
    return this.#scalar(filter, this.#reference(column.name), column.kind);
  }

  /** What to order by: absent values first ascending, last descending; ties end at the ID. */
  order(sort: readonly SortKey[]): Sql {
    const keys = sort.map(({ path, descending }) =>
      descending
        ? sql`${this.sortValue(path)} desc nulls last`
        : sql`${this.sortValue(path)} asc nulls first`,
    );
    return join([...keys, sql`${this.#id} asc`]);
  }

  #entry(comparison: Comparison, path: Extract<FieldPath, { key: string }>): Sql {
    if (path.field === 'labels') return this.#label(comparison, path.key);
    return this.#scalar(comparison, this.#mapEntry(path.field, path.key), 'text');
  }

  #scalar(comparison: Comparison, value: Sql, kind: ColumnKind): Sql {
    switch (comparison.op) {
      case 'eq':
      case 'in':
        return this.#amongst(value, kind, operandsOf(comparison));
      case 'ne':
      case 'nin':
        return this.#notAmongst(value, kind, operandsOf(comparison));
      case 'exists':
        return comparison.value ? sql`${value} is not null` : sql`${value} is null`;
      case 'regex':
        return bug('patterns are matched outside SQL');
      default:
        return fits(comparison.value, kind)
          ? sql`${value} ${signs[comparison.op]} ${comparison.value}`
          : never;
    }
  }

  #amongst(value: Sql, kind: ColumnKind, operands: readonly Operand[]): Sql {
    const among = this.#equalsAny(value, kind, operands);
    return operands.includes(null) ? any([sql`${value} is null`, among]) : among;
  }

  #notAmongst(value: Sql, kind: ColumnKind, operands: readonly Operand[]): Sql {
    const fitting = operands.filter((operand) => fits(operand, kind));
    const others = fitting.length === 0 ? always : sql`not ${this.#equalsAny(value, kind, fitting)}`;
    return operands.includes(null)
      ? all([sql`${value} is not null`, others])
      : any([sql`${value} is null`, others]);
  }

  /** True when the value is one of the operands that it can be equal to; false or null when it is none. */
  #equalsAny(value: Sql, kind: ColumnKind, operands: readonly Operand[]): Sql {
    const fitting = operands.filter((operand) => fits(operand, kind)).map(plain);
    if (fitting.length === 0) return never;
    if (fitting.length === 1) return sql`(${value} = ${fitting[0]})`;
    const elements = this.#dialect.elementsOf(JSON.stringify(fitting), kind === 'text' ? 'text' : 'number');
    return sql`(${value} in ${elements})`;
  }

  /** Labels are in their own table: one matching value is enough, and for negative operators none may match. */
  #label(comparison: Comparison, key: string): Sql {
    const { op } = comparison;
    if (op === 'exists') return comparison.value ? this.#someLabel(key, always) : this.#noLabel(key, always);
    if (op === 'eq' || op === 'in') return this.#labelAmongst(key, operandsOf(comparison));
    if (op === 'ne' || op === 'nin') return this.#labelNotAmongst(key, operandsOf(comparison));
    return this.#someLabel(key, this.#scalar(comparison, sql`l.value`, 'text'));
  }

  #labelAmongst(key: string, operands: readonly Operand[]): Sql {
    const among = this.#someLabel(key, this.#equalsAny(sql`l.value`, 'text', operands));
    return operands.includes(null) ? any([this.#noLabel(key, always), among]) : among;
  }

  #labelNotAmongst(key: string, operands: readonly Operand[]): Sql {
    const none = this.#noLabel(key, this.#equalsAny(sql`l.value`, 'text', operands));
    return operands.includes(null) ? all([this.#someLabel(key, always), none]) : none;
  }

  /** Starts from the index on key and value, so that a rare label costs only its own resources. */
  #someLabel(key: string, condition: Sql): Sql {
    const labels = identifier(this.#tables.labelTable);
    if (this.#isNarrowed) return sql`not ${this.#noLabel(key, condition)}`;
    return sql`${this.#id} in (select l.resource from ${labels} as l where l.key = ${key} and ${condition})`;
  }

  /** Starts from the resource, since usually many lack a label. */
  #noLabel(key: string, condition: Sql): Sql {
    const labels = identifier(this.#tables.labelTable);
    return sql`not exists (select 1 from ${labels} as l where l.resource = ${this.#id} and l.key = ${key} and ${condition})`;
  }

  /** The value that a sort key compares. */
  sortValue(path: FieldPath): Sql {
    if (!('key' in path)) return this.#reference(this.#column(path.field).name);
    if (path.field !== 'labels') return this.#mapEntry(path.field, path.key);
    const labels = identifier(this.#tables.labelTable);
    return sql`(select min(l.value) from ${labels} as l where l.resource = ${this.#id} and l.key = ${path.key})`;
  }

  /** What that value is. */
  sortKind(path: FieldPath): 'text' | 'number' {
    return 'key' in path || this.#column(path.field).kind === 'text' ? 'text' : 'number';
  }

  /** The text that a pattern on a field is matched with; of labels, a JSON array of texts. Null if the field holds no text. */
  text(path: FieldPath): Sql | null {
    if ('key' in path) return this.#mapEntry(path.field, path.key);
    const { name, kind } = this.#column(path.field);
    return kind === 'text' ? this.#reference(name) : null;
  }

  #mapEntry(field: keyof typeof mapColumns, key: string): Sql {
    if (!keyPattern.test(key)) return sql`null`;
    return this.#dialect.entryOf(this.#reference(mapColumns[field]), key);
  }

  #column(field: ScalarField): Column {
    return this.#tables.fields.get(field) ?? bug(`the table ${this.#tables.table} has no field ${field}`);
  }

  #reference(column: string): Sql {
    return column === 'id' ? this.#id : identifier(`r.${column}`);
  }
}

/** What a comparison compares with. */
function operandsOf(comparison: Exclude<Comparison, { op: 'regex' }>): readonly Operand[] {
  return 'values' in comparison ? comparison.values : [comparison.value];
}

/** Whether a value of a column can be equal to the operand at all; databases would convert. */
function fits(operand: Operand, kind: ColumnKind): boolean {
  if (kind === 'flag') return typeof operand === 'boolean';
  return typeof operand === (kind === 'text' ? 'string' : 'number');
}

/** As it is stored: flags are 0 and 1. */
function plain(operand: Operand): string | number | null {
  return typeof operand === 'boolean' ? Number(operand) : operand;
}

/** All of the conditions, in parentheses. */
export function all(conditions: readonly Sql[]): Sql {
  return balance(conditions, always, ' and ');
}

function any(conditions: readonly Sql[]): Sql {
  return balance(conditions, never, ' or ');
}

/** As a balanced tree: databases bound how deep an expression may be, and a chain of 1,000 is 1,000 deep. */
function balance(conditions: readonly Sql[], none: Sql, between: string): Sql {
  if (conditions.length === 0) return none;
  if (conditions.length === 1) return conditions[0];
  const half = conditions.length >> 1;
  const left = balance(conditions.slice(0, half), none, between);
  const right = balance(conditions.slice(half), none, between);
  return sql`(${join([left, right], between)})`;
}
