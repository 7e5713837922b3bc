/** Screens parameters for what no method may ever meet: text that UTF-8 cannot store, and nesting that is too deep (W4b). */
import { Columns } from '#model/frame';
import { ProblemList } from '#model/problem-list';

/** What {@link screenParams} is to look at. */
export interface Screening {
  /** Levels of nesting that are allowed. */
  levelsMax: number;
  /** Members that one object may have. */
  membersMax: number;
  /** Whether strings are looked at too. JSON from valid UTF-8 can only hold a lone surrogate where it has a `\u`. */
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

/** One walk. The path to where it stands is one array, since a frame has thousands of places and hardly ever a problem. */
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

/** Columns have been read from plain text: there is nothing in them that could offend. */
function isScanned(value: object): boolean {
  return value instanceof Columns || value instanceof Float64Array;
}
