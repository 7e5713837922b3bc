/**
 * Resource filters as terms that people read, and back. A filter is the service's own JSON (`{"name": {"$regex": "…"}}`);
 * whatever of it has no simple words stays JSON.
 */

/** A resource filter as it is sent. */
export type FilterJson = Readonly<Record<string, unknown>>;

/** What a field holds. */
export type FieldKind = 'text' | 'choice' | 'date' | 'duration' | 'flag' | 'presence';

/** A field that can be filtered by. */
export interface FilterField {
  path: string;
  title: string;
  kind: FieldKind;
  /** Of a choice: value and words. */
  choices?: readonly (readonly [string, string])[];
  /** The path goes on with a key that is asked for: `labels.` */
  hasKey?: boolean;
}

/** What a term may say, with its words. */
export const operators = {
  is: 'is',
  isNot: 'is not',
  contains: 'contains',
  matches: 'matches pattern',
  atLeast: 'from',
  below: 'before',
  exists: 'is set',
  missing: 'is not set',
} as const;

/** The name of an operator. */
export type Operator = keyof typeof operators;

/** One condition. */
export type Term =
  | { path: string; operator: Operator; value: string }
  /** What has no simple words: one member of the filter. */
  | { json: FilterJson };

/** Operators that make sense for a kind of field. */
export function operatorsOf(kind: FieldKind): Operator[] {
  switch (kind) {
    case 'text':
      return ['contains', 'is', 'isNot', 'matches', 'exists', 'missing'];
    case 'choice':
    case 'flag':
      return ['is', 'isNot'];
    case 'date':
    case 'duration':
      return ['atLeast', 'below'];
    case 'presence':
      return ['exists', 'missing'];
  }
}

/** Whether an operator needs a value. */
export function needsValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'missing';
}

/** The filter that all terms make together. */
export function filterOf(terms: readonly Term[]): FilterJson {
  const members = terms.map((term) => ('json' in term ? term.json : memberOf(term)));
  const paths = members.flatMap((member) => Object.keys(member));
  if (new Set(paths).size === paths.length) return Object.assign({}, ...members) as FilterJson;
  return { $and: members };
}

/** The terms of a filter, in its order. */
export function termsOf(filter: FilterJson): Term[] {
  return Object.entries(filter).flatMap(([path, value]) => {
    if (path === '$and' && Array.isArray(value) && value.every(isObject)) return value.flatMap(termsOf);
    return termsOfMember(path, value);
  });
}

/** Whether two filters say the same in the same order. */
export function isSameFilter(a: FilterJson, b: FilterJson): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A filter and a text that name or key contain, in any case. */
export function withSearch(filter: FilterJson, text: string, paths: readonly string[]): FilterJson {
  if (text.trim() === '') return filter;
  const pattern = containsPattern(text.trim());
  const search = { $or: paths.map((path) => ({ [path]: { $regex: pattern } })) };
  return Object.keys(filter).length === 0 ? search : { $and: [filter, search] };
}

/** Parses a filter that a user typed: the filter, or an error message. */
export function parseFilterText(text: string): { filter: FilterJson } | { problem: string } {
  if (text.trim() === '') return { filter: {} };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { filter: value } : { problem: 'A filter is an object: {"name": "…"}.' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** How a value is written in a filter. */
function operandOf(path: string, value: string): string | boolean {
  return path === 'visible' ? value === 'true' : value;
}

function memberOf({ path, operator, value }: Extract<Term, { path: string }>): FilterJson {
  switch (operator) {
    case 'is':
      return { [path]: operandOf(path, value) };
    case 'isNot':
      return { [path]: { $ne: operandOf(path, value) } };
    case 'contains':
      return { [path]: { $regex: containsPattern(value) } };
    case 'matches':
      return { [path]: { $regex: value } };
    case 'atLeast':
      return { [path]: { $gte: value } };
    case 'below':
      return { [path]: { $lt: value } };
    case 'exists':
      return { [path]: { $exists: true } };
    case 'missing':
      return { [path]: { $exists: false } };
  }
}

function termsOfMember(path: string, value: unknown): Term[] {
  if (path.startsWith('$')) return [{ json: { [path]: value } }];
  if (typeof value === 'string' || typeof value === 'boolean')
    return [{ path, operator: 'is', value: String(value) }];
  if (!isObject(value)) return [{ json: { [path]: value } }];
  return Object.entries(value).map(([operator, operand]) => termOf(path, operator, operand));
}

function termOf(path: string, operator: string, operand: unknown): Term {
  if (operator === '$exists' && typeof operand === 'boolean')
    return { path, operator: operand ? 'exists' : 'missing', value: '' };
  if (typeof operand === 'string' || typeof operand === 'boolean') {
    const value = String(operand);
    if (operator === '$eq') return { path, operator: 'is', value };
    if (operator === '$ne') return { path, operator: 'isNot', value };
    if (operator === '$gte') return { path, operator: 'atLeast', value };
    if (operator === '$lt') return { path, operator: 'below', value };
    if (operator === '$regex') {
      const text = containedText(value);
      return text === null
        ? { path, operator: 'matches', value }
        : { path, operator: 'contains', value: text };
    }
  }
  return { json: { [path]: { [operator]: operand } } };
}

const special = /[\\^$.*+?()[\]{}|]/g;

/** A pattern (RE2) that finds a text in any case. */
function containsPattern(text: string): string {
  return `(?i)${text.replace(special, '\\$&')}`;
}

/** The text that {@link containsPattern} made a pattern of; null for any other pattern. */
function containedText(pattern: string): string | null {
  if (!pattern.startsWith('(?i)')) return null;
  const text = pattern.slice(4).replace(/\\([\\^$.*+?()[\]{}|])/g, '$1');
  return containsPattern(text) === pattern ? text : null;
}

function isObject(value: unknown): value is FilterJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
