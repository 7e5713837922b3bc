/** Resource filters: the text of the request → the checked form that stores understand (R14). */
import type { Comparison, Filter, Operand } from '#model/filter';
import { patternProblem } from '#model/pattern';
import { patternSize } from '#model/pattern-size';
import { type ProblemList, quote } from '#model/problem-list';
import { type Field, parseFieldPath, type ResourceType, unknownField } from './field-path.ts';
import { parseOperand } from './operand.ts';

/** What bounds a filter, and which fields it may name. */
export interface FilterRules {
  resource: ResourceType;
  /** How deep `$and` and `$or` may nest; a filter without them has one level. */
  levelsMax: number;
  /** How many comparisons a filter may hold; each value of `$in` and `$nin` counts as one, a `$regex` as 20. */
  termsMax: number;
  /** How long a `$regex` may be. */
  patternCharactersMax: number;
  /** How large the programs of all `$regex` may be together, as model/pattern-size.ts counts. */
  patternSizeMax: number;
}

/** Reads a filter; null and absent match everything. Problems are noted below `path`; then the result means nothing. */
export function parseFilter(value: unknown, path: string, rules: FilterRules, problems: ProblemList): Filter {
  const parser = new FilterParser(rules, problems);
  const filter = parser.filter(value, path, 1);
  if (parser.isTooLarge) {
    problems.add([path], `must have at most ${rules.termsMax} terms, got ${parser.terms} or more`);
  }
  return filter;
}

const orders = new Map([
  ['$lt', 'lt'],
  ['$lte', 'lte'],
  ['$gt', 'gt'],
  ['$gte', 'gte'],
] as const);

/** The number of terms that one pattern counts for: compiling it takes up to some milliseconds. */
const patternTerms = 20;

const operators = ['$eq', '$ne', '$in', '$nin', ...orders.keys(), '$regex', '$exists'].join(', ');

/** Matches nothing: takes the place of what has a problem. */
const nothing: Filter = { op: 'or', filters: [] };

class FilterParser {
  readonly #rules: FilterRules;
  readonly #problems: ProblemList;
  terms = 0;
  #patternSize = 0;

  constructor(rules: FilterRules, problems: ProblemList) {
    this.#rules = rules;
    this.#problems = problems;
  }

  /** Whether there are too many terms; the rest of the filter is then not read. */
  get isTooLarge(): boolean {
    return this.terms > this.#rules.termsMax;
  }

  filter(value: unknown, path: string, level: number): Filter {
    if (this.isTooLarge) return nothing;
    if (value === undefined || value === null || isEmpty(value)) return this.#countEmpty();
    if (!isObject(value)) return this.#refuse(path, `must be an object, got ${quote(value)}`);
    if (level > this.#rules.levelsMax) {
      return this.#refuse(path, `must be at most ${this.#rules.levelsMax} levels deep`);
    }
    const filters = Object.entries(value).flatMap(([name, member]) =>
      this.#member(name, member, `${path}.${name}`, level),
    );
    return filters.length === 1 ? filters[0] : { op: 'and', filters };
  }

  #member(name: string, value: unknown, path: string, level: number): Filter[] {
    if (name === '$and' || name === '$or') return this.#junction(name, value, path, level);
    if (name.startsWith('$'))
      return [this.#refuse(path, 'unknown operator; between filters are $and and $or')];
    const field = parseFieldPath(name, this.#rules.resource);
    if (field === null) return [this.#refuse(path, unknownField(this.#rules.resource))];
    if (isEmpty(value)) return [this.#countEmpty()];
    if (!isObject(value)) return [this.#comparison('$eq', value, field, path)];
    return Object.entries(value).map(([operator, operand]) =>
      this.#comparison(operator, operand, field, `${path}.${operator}`),
    );
  }

  #junction(name: '$and' | '$or', value: unknown, path: string, level: number): Filter[] {
    const op = name === '$and' ? 'and' : 'or';
    if (value === null || (Array.isArray(value) && value.length === 0)) this.#countEmpty();
    if (value === null) return [];
    if (!Array.isArray(value))
      return [this.#refuse(path, `must be an array of filters or null, got ${quote(value)}`)];
    return [{ op, filters: value.map((member, i) => this.filter(member, `${path}.${i}`, level + 1)) }];
  }

  #comparison(operator: string, value: unknown, field: Field, path: string): Filter {
    this.terms += operator === '$regex' ? patternTerms : 1;
    if (this.isTooLarge) return nothing;
    const order = (orders as ReadonlyMap<string, 'lt' | 'lte' | 'gt' | 'gte'>).get(operator);
    if (order !== undefined) return this.#order(order, value, field, path);
    switch (operator) {
      case '$eq':
      case '$ne':
        return this.#equality(operator === '$eq' ? 'eq' : 'ne', value, field, path);
      case '$in':
      case '$nin':
        return this.#membership(operator === '$in' ? 'in' : 'nin', value, field, path);
      case '$regex':
        return this.#regex(value, field, path);
      case '$exists':
        if (typeof value === 'boolean') return { op: 'exists', path: field.path, value };
        return this.#refuse(path, `must be true or false, got ${quote(value)}`);
      default:
        return this.#refuse(path, `unknown operator; known are ${operators}`);
    }
  }

  #equality(op: 'eq' | 'ne', value: unknown, field: Field, path: string): Filter {
    const operand = this.#operand(value, field, path);
    return operand === undefined ? nothing : { op, path: field.path, value: operand };
  }

  #membership(op: 'in' | 'nin', value: unknown, field: Field, path: string): Filter {
    if (!Array.isArray(value)) return this.#refuse(path, `must be an array, got ${quote(value)}`);
    this.terms += Math.max(0, value.length - 1);
    if (this.isTooLarge) return nothing;
    const values = value.map((member, i) => this.#operand(member, field, `${path}.${i}`));
    return values.includes(undefined) ? nothing : { op, path: field.path, values: values as Operand[] };
  }

  #order(op: 'lt' | 'lte' | 'gt' | 'gte', value: unknown, field: Field, path: string): Filter {
    if (field.kind === 'flag')
      return this.#refuse(path, 'has no order; compare with $eq, $ne, $in, $nin or $exists');
    const rounding = op === 'lt' || op === 'gte' ? 'up' : 'down';
    const operand = parseOperand(value, field.kind, rounding, path, this.#problems);
    if (operand === undefined) return nothing;
    return { op, path: field.path, value: operand as string | number } satisfies Comparison;
  }

  #regex(value: unknown, field: Field, path: string): Filter {
    if (field.kind !== 'text') return this.#refuse(path, 'is only for text');
    if (typeof value !== 'string')
      return this.#refuse(path, `must be a pattern in RE2 syntax, got ${quote(value)}`);
    const problem = this.#tooLarge(value) ?? patternProblem(value);
    return problem === null ? { op: 'regex', path: field.path, pattern: value } : this.#refuse(path, problem);
  }

  /** Bounds a pattern before it is compiled; null when it may be. */
  #tooLarge(pattern: string): string | null {
    const { patternCharactersMax, patternSizeMax } = this.#rules;
    if (pattern.length > patternCharactersMax)
      return `must be at most ${patternCharactersMax} characters, got ${pattern.length}`;
    this.#patternSize += patternSize(pattern);
    if (this.#patternSize <= patternSizeMax) return null;
    return `is too large: the patterns of one filter may have a size of ${patternSizeMax} in all, got ${this.#patternSize}; use fewer repetitions and Unicode classes`;
  }

  #operand(value: unknown, field: Field, path: string): Operand | undefined {
    if (value === null) return null;
    return parseOperand(value, field.kind, 'down', path, this.#problems);
  }

  /** What holds no comparison is a term all the same: a list of a million of them is not to pass. */
  #countEmpty(): Filter {
    this.terms += 1;
    return { op: 'and', filters: [] };
  }

  #refuse(path: string, message: string): Filter {
    this.#problems.add([path], message);
    return nothing;
  }
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
