/**
 * The searches and matches that a reader thread works on in turns. A search has a connection and a transaction of its own, so
 * that all its statements see one state; between two of them it can be cancelled.
 */
import type { DatabaseSync } from 'node:sqlite';
import { compilePattern } from '#model/pattern';
import { type SearchAnswer, type SearchPlan, type SearchStep, search } from '../meta/search.ts';
import { openForReading } from './connection.ts';
import { registerFunctions, type WorkMeter, WorkSpent } from './functions.ts';
import type { Piecework } from './series-reader.ts';
import { rowsOf } from './sql-table.ts';
import { Statements } from './statements.ts';
import type { TaskLoop } from './task-loop.ts';
import { reply, replyError } from './thread-port.ts';

/** Searches that a thread works on concurrently; others wait. */
const searchesMax = 4;

/** Characters times size that are matched before others have their turn, if their turn has come. */
const matchUnits = 20_000;

interface Waiting {
  id: number;
  plan: SearchPlan;
}

/** Searches of one thread. */
export class Searches {
  readonly #directory: string;
  readonly #textCharactersMax: number;
  readonly #loop: TaskLoop;
  readonly #free: SearchConnection[] = [];
  readonly #busy = new Set<SearchConnection>();
  #waiting: Waiting[] = [];

  constructor(directory: string, textCharactersMax: number, loop: TaskLoop) {
    this.#directory = directory;
    this.#textCharactersMax = textCharactersMax;
    this.#loop = loop;
  }

  /** Answers a search. */
  submit(id: number, plan: SearchPlan): void {
    this.#waiting.push({ id, plan });
    this.#startWaiting();
  }

  /** Answers which of the texts match. */
  match(id: number, pattern: string, texts: readonly string[]): void {
    this.#loop.add({
      id,
      work: matched(pattern, texts),
      done: (found) => reply<'match'>(id, found as boolean[]),
      failed: (error) => replyError(id, error),
    });
  }

  /** Cancels a search that waits; the loop ends one that runs. */
  cancel(call: number): void {
    this.#waiting = this.#waiting.filter(({ id }) => id !== call);
  }

  /** Nothing may be running. */
  close(): void {
    for (const connection of [...this.#free, ...this.#busy]) connection.close();
  }

  #startWaiting(): void {
    while (this.#busy.size < searchesMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      try {
        this.#start(next);
      } catch (error) {
        replyError(next.id, error);
      }
    }
  }

  #start({ id, plan }: Waiting): void {
    const connection =
      this.#free.pop() ?? new SearchConnection(openForReading(this.#directory), this.#textCharactersMax);
    this.#busy.add(connection);
    this.#loop.add({
      id,
      work: connection.search(plan),
      done: (found) => {
        reply(id, found as { rows: []; total: null });
        this.#release(connection);
      },
      failed: (error) => {
        replyError(id, error);
        this.#release(connection);
      },
    });
  }

  #release(connection: SearchConnection): void {
    this.#busy.delete(connection);
    try {
      connection.end();
      this.#free.push(connection);
    } catch {
      connection.close();
    }
    this.#startWaiting();
  }
}

/** A connection that runs one search at a time. */
export class SearchConnection {
  readonly #db: DatabaseSync;
  readonly #meter: WorkMeter;
  readonly #statements: Statements;

  constructor(db: DatabaseSync, textCharactersMax: number) {
    this.#db = db;
    this.#meter = registerFunctions(db);
    this.#statements = new Statements(db, textCharactersMax);
  }

  /** Runs a search in pieces. {@link end} has to follow, whatever becomes of it. */
  *search(plan: SearchPlan): Piecework<unknown> {
    this.#db.exec('begin');
    const steps = search(plan);
    let step = steps.next();
    while (step.done !== true) {
      yield;
      step = steps.next(yield* this.#answer(step.value));
    }
    return step.value;
  }

  /** Ends the transaction; the table that a search has made goes with it. */
  end(): void {
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  close(): void {
    this.#db.close();
  }

  *#answer(step: SearchStep): Piecework<SearchAnswer> {
    if (step.kind === 'match') return yield* matched(step.pattern, step.texts);
    this.#meter.left = step.workMax;
    try {
      return rowsOf(this.#statements.run(step.sql, step.params));
    } catch (error) {
      if (error instanceof WorkSpent) return null;
      throw error;
    }
  }
}

/** Of each text whether the pattern matches it, in pieces. */
function* matched(pattern: string, texts: readonly string[]): Piecework<boolean[]> {
  const compiled = compilePattern(pattern);
  const found: boolean[] = [];
  let units = 0;
  for (const text of texts) {
    found.push(compiled.test(text));
    units += (text.length + 1) * compiled.size;
    if (units < matchUnits) continue;
    units = 0;
    yield;
  }
  return found;
}
