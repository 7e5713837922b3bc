/**
 * Resource filters as terms that people can read, and back. A filter is the JSON that the service takes
 * (`{"name": {"$regex": "…"}}`); members that no term expresses stay JSON.
 */
import { isObject, parseJson } from '../json.ts';

/** A resource filter as it is sent. */
export type FilterJson = Readonly<Record<string, unknown>>;

/** The kind of values of a field. */
export type FieldKind = 'text' | 'choice' | 'date' | 'duration' | 'presence';

/** A field that can be filtered by. */
export interface FilterField {
  path: string;
  title: string;
  kind: FieldKind;
  /** The values of a choice and their words. */
  choices?: Readonly<Record<string, string>>;
  /** The path continues with a key that the user enters: `labels.` */
  hasKey?: boolean;
}

/** The operators and their words. */
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
  /** A member of the filter that no operator expresses. */
  | { json: FilterJson };

/** The operators for each kind of field; the first one is the default. */
export const operatorsOf: Readonly<Record<FieldKind, readonly [Operator, ...Operator[]]>> = {
  text: ['contains', 'is', 'isNot', 'matches', 'exists', 'missing'],
  choice: ['is', 'isNot'],
  date: ['atLeast', 'below'],
  duration: ['atLeast', 'below'],
  presence: ['exists', 'missing'],
};

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
    if (path === '$and' && Array.isArray(value) && value.length > 0 && value.every(isObject))
      return value.flatMap(termsOf);
    return termsOfMember(path, value);
  });
}

/** A filter and a text that one of the paths contains, in any case. */
export function withSearch(filter: FilterJson, text: string, paths: readonly string[]): FilterJson {
  if (text.trim() === '') return filter;
  const pattern = containsPattern(text.trim());
  const search = { $or: paths.map((path) => ({ [path]: { $regex: pattern } })) };
  return Object.keys(filter).length === 0 ? search : { $and: [filter, search] };
}

/** Parses a filter that a user typed: the filter, or an error message. */
export function parseFilterText(text: string): { filter: FilterJson } | { problem: string } {
  const { value = {}, problem } = parseJson(text);
  if (problem !== undefined) return { problem };
  return isObject(value) ? { filter: value } : { problem: 'A filter is an object: {"name": "…"}.' };
}

/** A term in words: `Unit is °C`. */
export function wordsOf(term: Term, fields: readonly FilterField[]): string {
  if ('json' in term) return JSON.stringify(term.json);
  const field =
    fields.find(({ path }) => path === term.path) ??
    fields.find(({ path, hasKey }) => hasKey && term.path.startsWith(path));
  const key = field?.hasKey ? ` ${term.path.slice(field.path.length)}` : '';
  const title = field ? `${field.title}${key}` : term.path;
  const chosen = Object.entries(field?.choices ?? {}).find(([choice]) => choice === term.value);
  const value = chosen?.[1] ?? term.value;
  return `${title} ${operators[term.operator]}${needsValue(term.operator) ? ` ${value}` : ''}`;
}

/** How each operator is written in a filter. */
const operands: Readonly<Record<Operator, (value: string | boolean) => unknown>> = {
  is: (value) => value,
  isNot: ($ne) => ({ $ne }),
  contains: (text) => ({ $regex: containsPattern(String(text)) }),
  matches: ($regex) => ({ $regex }),
  atLeast: ($gte) => ({ $gte }),
  below: ($lt) => ({ $lt }),
  exists: () => ({ $exists: true }),
  missing: () => ({ $exists: false }),
};

function memberOf({ path, operator, value }: Extract<Term, { path: string }>): FilterJson {
  return { [path]: operands[operator](path === 'visible' ? value === 'true' : value) };
}

function termsOfMember(path: string, value: unknown): Term[] {
  if (path.startsWith('$')) return [{ json: { [path]: value } }];
  if (isOperand(path, value)) return [{ path, operator: 'is', value: String(value) }];
  if (!isObject(value) || Object.keys(value).length === 0) return [{ json: { [path]: value } }];
  return Object.entries(value).map(([operator, operand]) => termOf(path, operator, operand));
}

/** Whether a term can have this value: texts, and of `visible` true and false. */
function isOperand(path: string, value: unknown): boolean {
  return typeof value === (path === 'visible' ? 'boolean' : 'string');
}

const namesOfOperators: Readonly<Record<string, Operator>> = {
  $eq: 'is',
  $ne: 'isNot',
  $gte: 'atLeast',
  $lt: 'below',
  $regex: 'matches',
};

function termOf(path: string, operator: string, operand: unknown): Term {
  if (operator === '$exists' && typeof operand === 'boolean')
    return { path, operator: operand ? 'exists' : 'missing', value: '' };
  const name = namesOfOperators[operator];
  if (name === undefined || !isOperand(path, operand)) return { json: { [path]: { [operator]: operand } } };
  const text = name === 'matches' ? containedText(String(operand)) : null;
  return text === null
    ? { path, operator: name, value: String(operand) }
    : { path, operator: 'contains', value: text };
}

const special = /[\\^$.*+?()[\]{}|]/g;

/** A pattern (RE2) that finds a text in any case. */
export function containsPattern(text: string): string {
  return `(?i)${text.replace(special, '\\$&')}`;
}

/** The text that {@link containsPattern} made a pattern of; null for any other pattern. */
function containedText(pattern: string): string | null {
  if (!pattern.startsWith('(?i)')) return null;
  const text = pattern.slice(4).replace(/\\([\\^$.*+?()[\]{}|])/g, '$1');
  return containsPattern(text) === pattern ? text : null;
}
