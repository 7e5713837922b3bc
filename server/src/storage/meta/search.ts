/**
 * Searches for signals or items in steps, between which the caller may pause or cancel. A step is a statement over a bounded
 * number of rows, or a pattern match on texts that a statement returned. Patterns do not run inside SQL, where they could not be
 * cancelled.
 */
import { AppError } from '#model/error';
import { patternSize } from '#model/pattern-size';
import type { SqlRow, SqlValue } from './sql-runner.ts';

/** A parameter whose value is known only while searching. */
export interface Slot {
  slot: 'after' | 'until' | 'rows' | 'ids';
}

/** A compiled statement. */
export interface SearchStatement {
  sql: string;
  params: readonly (SqlValue | Slot)[];
}

/** How the columns of a row decide whether it matches, where patterns are involved. */
export type Rule =
  | { op: 'and' | 'or'; rules: readonly Rule[] }
  /** A column that holds 1, or 0 or null. */
  | { op: 'column'; column: string }
  /** A pattern on the text in a column; with `isList`, on any text of the JSON array in it. */
  | { op: 'pattern'; column: string; pattern: string; isList: boolean };

/** A query that is ready to run. It can be sent to another thread. */
export interface SearchPlan {
  /** The whole query in SQL, within a bound on its work; null when it has patterns or too many comparisons. */
  direct: {
    page: SearchStatement;
    /** The records of the page, in its order. */
    records: SearchStatement;
    count: SearchStatement;
    workMax: number;
  } | null;
  /** The ID at which the next `rows` rows end, if there are as many. */
  end: SearchStatement;
  /** Candidates in a range of IDs: `id`, and the columns of the rule. */
  candidates: SearchStatement;
  /** Null when every candidate matches. */
  rule: Rule | null;
  /** Rows of one step. */
  rows: number;
  /** Collects matches in an order; null when that is the order of IDs. */
  sorted: {
    create: readonly SearchStatement[];
    insert: SearchStatement;
    page: SearchStatement;
    drop: SearchStatement;
  } | null;
  /** The records with some IDs, in no order. */
  records: SearchStatement;
  limit: number;
  skip: number;
  total: boolean;
  /** Maximum work of patterns, in characters times pattern size: the limit `patternWorkMax`. */
  patternWorkMax: number;
}

/** The next step of a search. With `workMax` the answer may be null instead of rows. */
export type SearchStep =
  | { kind: 'rows'; sql: string; params: readonly SqlValue[]; workMax: number }
  | { kind: 'match'; pattern: string; texts: readonly string[] };

/** The rows of a statement, or null when it exceeds its bound on work; for a match, whether each text matches. */
export type SearchAnswer = SqlRow[] | boolean[] | null;

/** The result of a search. */
export interface SearchFound {
  /** In the order of the query. */
  rows: SqlRow[];
  /** Null when it was not requested and is not known. */
  total: number | null;
}

/** A running search. */
export type Search<T = SearchFound> = Generator<SearchStep, T, SearchAnswer>;

interface Page {
  ids: string[];
  /** The number of all matches, if the query requests the total. */
  count: number | null;
}

type Slots = Partial<Record<Slot['slot'], SqlValue>>;

/** Beyond every ID. */
const lastId = '\u{10ffff}';

/** Runs a plan. Fails with `invalid-params` when its patterns exceed their bound on work. */
export function* search(plan: SearchPlan): Search {
  const { ids, count } = (yield* pageInSql(plan)) ?? (yield* pageInSteps(plan));
  const total = plan.total ? count : totalSeen(ids.length, plan);
  if (ids.length === 0) return { rows: [], total };
  const records = yield* rowsOf(plan.records, { ids: JSON.stringify(ids) });
  const byId = new Map<SqlValue, SqlRow>(records.map((row) => [row.id, row]));
  return { rows: ids.map((id) => byId.get(id)).filter((row) => row !== undefined), total };
}

function* atOnce(plan: SearchPlan): Search<SearchFound | null> {
  if (plan.direct === null || plan.total) return null;
  const rows = yield* rowsOf(plan.direct.records, {});
  return { rows, total: totalSeen(rows.length, plan) };
}

/** The total, if the page shows it: a page that is not full contains the last match. */
function totalSeen(length: number, { limit, skip }: SearchPlan): number | null {
  return length < limit && (length > 0 || skip === 0) ? skip + length : null;
}

/** Null when the query cannot be answered by one statement, or only with more work than one may take. */
function* pageInSql(plan: SearchPlan): Search<Page | null> {
  const { direct } = plan;
  if (direct === null) return null;
  const rows = yield* tryRows(direct.page, {}, direct.workMax);
  if (rows === null) return null;
  const ids = rows.map(({ id }) => String(id));
  const count = totalSeen(ids.length, plan);
  if (count !== null || !plan.total) return { ids, count };
  const counted = yield* tryRows(direct.count, {}, direct.workMax);
  return counted && { ids, count: Number(counted[0].total) };
}

function* pageInSteps(plan: SearchPlan): Search<Page> {
  const { sorted, limit, skip } = plan;
  const walk = new Walk(plan);
  const ids: string[] = [];
  let count = 0;
  for (const statement of sorted?.create ?? []) yield* rowsOf(statement, {});
  while (!walk.isAtEnd) {
    const matches = yield* walk.next();
    if (sorted !== null) yield* rowsOf(sorted.insert, { ids: JSON.stringify(matches) });
    else ids.push(...matches.slice(Math.max(0, skip - count), Math.max(0, skip + limit - count)));
    count += matches.length;
    if (sorted === null && !plan.total && ids.length === limit) break;
  }
  if (sorted === null) return { ids, count };
  const page = yield* rowsOf(sorted.page, {});
  yield* rowsOf(sorted.drop, {});
  return { ids: page.map(({ id }) => String(id)), count };
}

/** The matches of a plan by ID, some rows at a time. */
class Walk {
  readonly #plan: SearchPlan;
  #after = '';
  #work = 0;
  isAtEnd = false;

  constructor(plan: SearchPlan) {
    this.#plan = plan;
  }

  *next(): Search<string[]> {
    const { end, candidates, rule, rows } = this.#plan;
    const after = this.#after;
    const [last] = yield* rowsOf(end, { after, rows: rows - 1 });
    this.isAtEnd = last === undefined;
    this.#after = last === undefined ? lastId : String(last.id);
    const found = yield* rowsOf(candidates, { after, until: this.#after });
    const isMatch = rule === null ? null : yield* this.#decide(rule, found);
    return found.filter((_, i) => isMatch?.[i] ?? true).map(({ id }) => String(id));
  }

  /** Whether each row matches. */
  *#decide(rule: Rule, rows: readonly SqlRow[]): Search<boolean[]> {
    if (rule.op === 'column') return rows.map((row) => Number(row[rule.column] ?? 0) === 1);
    if (rule.op === 'pattern') return yield* this.#matches(rule, rows);
    const decided: boolean[][] = [];
    for (const part of rule.rules) decided.push(yield* this.#decide(part, rows));
    return rows.map((_, i) =>
      rule.op === 'and' ? decided.every((part) => part[i]) : decided.some((part) => part[i]),
    );
  }

  *#matches(rule: Rule & { op: 'pattern' }, rows: readonly SqlRow[]): Search<boolean[]> {
    const texts = rows.map((row) => textsOf(row[rule.column], rule.isList));
    const all = texts.flat();
    this.#count(rule.pattern, all);
    const matched = (yield { kind: 'match', pattern: rule.pattern, texts: all }) as boolean[];
    let at = 0;
    return texts.map(({ length }) => {
      at += length;
      return matched.slice(at - length, at).includes(true);
    });
  }

  #count(pattern: string, texts: readonly string[]): void {
    const { patternWorkMax } = this.#plan;
    this.#work += texts.reduce((sum, { length }) => sum + length + 1, 0) * patternSize(pattern);
    if (this.#work <= patternWorkMax) return;
    throw new AppError(
      'invalid-params',
      `Invalid params: the patterns of this query would look at too much text: characters times size of the pattern may be ${patternWorkMax} in all; use simpler patterns, or narrow the filter by other fields`,
    );
  }
}

function textsOf(value: SqlValue | undefined, isList: boolean): string[] {
  if (value === null || value === undefined) return [];
  return isList ? (JSON.parse(String(value)) as string[]) : [String(value)];
}

function* rowsOf(statement: SearchStatement, slots: Slots): Search<SqlRow[]> {
  return (yield* tryRows(statement, slots, Number.POSITIVE_INFINITY)) ?? [];
}

function* tryRows({ sql, params }: SearchStatement, slots: Slots, workMax: number): Search<SqlRow[] | null> {
  const values = params.map((param) => (isSlot(param) ? (slots[param.slot] ?? null) : param));
  return (yield { kind: 'rows', sql, params: values, workMax }) as SqlRow[] | null;
}

function isSlot(param: SqlValue | Slot): param is Slot {
  return typeof param === 'object' && param !== null && 'slot' in param;
}

/** Runs searches outside of transactions, and patterns for those inside. */
export interface Searcher {
  /** All statements of a search, on one committed snapshot. An aborted search ends soon, with the signal's reason. */
  search(plan: SearchPlan, signal?: AbortSignal): Promise<SearchFound>;
  /** Whether the pattern matches each text. */
  match(pattern: string, texts: readonly string[]): Promise<boolean[]>;
}

/** Answers the steps of a search later. */
type Answerer = (step: SearchStep) => Promise<SearchAnswer>;

/** Runs a plan over statements and matches that are answered later. */
export function searchAsync(plan: SearchPlan, answer: Answerer): Promise<SearchFound> {
  return answered(search(plan), answer);
}

/** Runs a plan as one statement, without a bound on its work; null where it needs several. */
export function searchAtOnce(plan: SearchPlan, answer: Answerer): Promise<SearchFound | null> {
  return answered(atOnce(plan), answer);
}

async function answered<T>(steps: Search<T>, answer: Answerer): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answer(step.value));
  return step.value;
}
