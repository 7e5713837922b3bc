/**
 * The searches and pattern matches that a reader thread processes in time slices. Each search has its own connection and
 * transaction, so that all its statements see one state. It can be cancelled between two statements.
 */
import type { DatabaseSync } from 'node:sqlite';
import { matchInSteps } from '#model/pattern';
import {
  type SearchAnswer,
  type SearchFound,
  type SearchPlan,
  type SearchStep,
  search,
} from '../meta/search.ts';
import { openForReading } from './connection.ts';
import { registerFunctions, type WorkMeter, WorkSpent } from './functions.ts';
import type { Answers, CallResults } from './messages.ts';
import type { Piecework } from './series-reader.ts';
import { Slots } from './slots.ts';
import { rowsOf } from './sql-table.ts';
import { Statements } from './statements.ts';
import type { TaskLoop } from './task-loop.ts';

/** Maximum number of searches that a thread runs concurrently; others wait. */
const searchesMax = 4;

/** Work (characters times pattern size) between two points at which matching may yield to other tasks. */
const matchUnits = 20_000;

/** Searches of one thread. */
export class Searches {
  readonly #loop: TaskLoop;
  readonly #answers: Answers;
  readonly #slots: Slots<SearchConnection>;

  constructor(directory: string, textCharactersMax: number, loop: TaskLoop, answers: Answers) {
    this.#loop = loop;
    this.#answers = answers;
    this.#slots = new Slots(
      searchesMax,
      () => new SearchConnection(openForReading(directory), textCharactersMax),
      (id, error) => answers.replyError(id, error),
    );
  }

  /** Answers a search. */
  submit(id: number, plan: SearchPlan): void {
    this.#slots.submit(id, (connection) => {
      const release = () => this.#slots.release(connection);
      this.#add<'search'>(id, connection.search(plan), release);
    });
  }

  /** Determines which of the texts match. */
  match(id: number, pattern: string, texts: readonly string[]): void {
    this.#add<'match'>(id, matchInSteps(pattern, texts, matchUnits));
  }

  /** Cancels a waiting search; running ones are cancelled by the loop. */
  cancel(call: number): void {
    this.#slots.cancel(call);
  }

  /** Must not be called while searches are running. */
  close(): void {
    this.#slots.close();
  }

  #add<Kind extends 'search' | 'match'>(id: number, work: Piecework<CallResults[Kind]>, ended = () => {}) {
    this.#loop.add({
      id,
      work,
      done: (found) => {
        this.#answers.reply<Kind>(id, found);
        ended();
      },
      failed: (error) => {
        this.#answers.replyError(id, error);
        ended();
      },
    });
  }
}

/** A connection that runs one search at a time. */
export class SearchConnection {
  readonly #db: DatabaseSync;
  readonly #meter: WorkMeter;
  readonly #statements: Statements;
  readonly #workMax: number;

  /** Above `workMax` a statement fails with `WorkSpent`, whatever the plan allows. */
  constructor(db: DatabaseSync, textCharactersMax: number, workMax = Number.POSITIVE_INFINITY) {
    this.#db = db;
    this.#meter = registerFunctions(db);
    this.#statements = new Statements(db, textCharactersMax);
    this.#workMax = workMax;
  }

  /** Runs a search in pieces. {@link end} must be called afterwards, also after a failure. */
  *search(plan: SearchPlan): Piecework<SearchFound> {
    this.#db.exec('begin');
    const steps = search(plan);
    let step = steps.next();
    while (step.done !== true) {
      yield;
      step = steps.next(yield* this.#answer(step.value));
    }
    return step.value;
  }

  /** Ends the transaction, and so drops the temporary table of the search. */
  end(): void {
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  close(): void {
    this.#db.close();
  }

  *#answer(step: SearchStep): Piecework<SearchAnswer> {
    if (step.kind === 'match') return yield* matchInSteps(step.pattern, step.texts, matchUnits);
    this.#meter.left = Math.min(step.workMax, this.#workMax);
    try {
      return rowsOf(this.#statements.run(step.sql, step.params));
    } catch (error) {
      if (error instanceof WorkSpent && step.workMax <= this.#workMax) return null;
      throw error;
    }
  }
}
