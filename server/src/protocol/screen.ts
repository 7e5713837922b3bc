/** Rejects parameters with text that UTF-8 cannot represent, or with too deep nesting (W4b). */
import { Columns } from '#model/frame';
import { ProblemList } from '#model/problem-list';

/** Options of {@link screenParams}. */
export interface Screening {
  /** Maximum levels of nesting. */
  levelsMax: number;
  /** Maximum number of members of an object. */
  membersMax: number;
  /** Whether to check strings. JSON in valid UTF-8 can only contain a lone surrogate as a `\u` escape. */
  texts: boolean;
}

/**
 * Fails with `invalid-params` where text has a lone surrogate, which UTF-8 cannot store, where the nesting is too deep, or
 * where an object has too many members. Arrays of numbers cost next to nothing.
 */
export function screenParams(params: object, screening: Screening): void {
  const list = new ProblemList();
  new Screen(screening, list).visit(params);
  if (!list.isEmpty) throw list.toError();
}

/** One traversal. The current path is a single reused array, since problems are rare. */
class Screen {
  readonly #levelsMax: number;
  readonly #membersMax: number;
  readonly #texts: boolean;
  readonly #list: ProblemList;
  readonly #steps: (string | number)[] = [];

  constructor({ levelsMax, membersMax, texts }: Screening, list: ProblemList) {
    this.#levelsMax = levelsMax;
    this.#membersMax = membersMax;
    this.#texts = texts;
    this.#list = list;
  }

  visit(value: unknown): void {
    if (typeof value === 'string') {
      if (this.#texts && !value.isWellFormed()) this.#add('must be Unicode text, has a lone surrogate');
    } else if (typeof value === 'object' && value !== null && !isScanned(value)) {
      if (this.#steps.length >= this.#levelsMax) {
        this.#list.add(this.#steps.slice(0, 8), `nested deeper than ${this.#levelsMax} levels`);
      } else if (Array.isArray(value)) this.#visitArray(value);
      else this.#visitObject(value as Record<string, unknown>);
    }
  }

  #visitArray(values: readonly unknown[]): void {
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      if (typeof value === 'object' ? value !== null : this.#texts && typeof value === 'string') {
        this.#steps.push(index);
        this.visit(value);
        this.#steps.pop();
      }
    }
  }

  #visitObject(object: Record<string, unknown>): void {
    const names = Object.keys(object);
    if (names.length > this.#membersMax) {
      this.#add(`must have at most ${this.#membersMax} members, got ${names.length}`);
      return;
    }
    for (const name of names) {
      this.#steps.push(name);
      if (this.#texts && !name.isWellFormed())
        this.#add('the key must be Unicode text, has a lone surrogate');
      else this.visit(object[name]);
      this.#steps.pop();
    }
  }

  #add(problem: string): void {
    this.#list.add([...this.#steps], problem);
  }
}

/** Columns need no check, since only plain text is read as columns. */
function isScanned(value: object): boolean {
  return value instanceof Columns || value instanceof Float64Array;
}
