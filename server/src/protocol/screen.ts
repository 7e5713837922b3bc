/** Screens parameters for what no method may ever meet: reserved names, broken text, bottomless nesting. */
import { ProblemList, type Steps } from './problem-list.ts';

/** What {@link screenParams} is to look at. */
export interface Screening {
  /** Levels of nesting that are allowed. */
  levelsMax: number;
  /** Whether strings are looked at too. JSON from valid UTF-8 can only hold a lone surrogate where it has a `\u`. */
  texts: boolean;
}

/**
 * Fails with `invalid-params` where a key is `__proto__`, which a later assignment could take for the prototype; where text
 * has a lone surrogate, which UTF-8 cannot store; where the nesting is too deep. Arrays of numbers cost next to nothing.
 */
export function screenParams(params: object, screening: Screening): void {
  const list = new ProblemList();
  visit(params, [], screening, list);
  if (!list.isEmpty) throw list.toError();
}

function visit(value: unknown, steps: Steps, screening: Screening, list: ProblemList): void {
  if (typeof value === 'string') {
    if (screening.texts && !value.isWellFormed())
      list.add(steps, 'must be Unicode text, has a lone surrogate');
  } else if (typeof value === 'object' && value !== null) {
    if (steps.length >= screening.levelsMax)
      list.add(steps.slice(0, 8), `nested deeper than ${screening.levelsMax} levels`);
    else if (Array.isArray(value)) visitArray(value, steps, screening, list);
    else visitObject(value as Record<string, unknown>, steps, screening, list);
  }
}

function visitArray(values: readonly unknown[], steps: Steps, screening: Screening, list: ProblemList): void {
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value === 'object' ? value !== null : screening.texts && typeof value === 'string')
      visit(value, [...steps, index], screening, list);
  }
}

function visitObject(
  object: Record<string, unknown>,
  steps: Steps,
  screening: Screening,
  list: ProblemList,
): void {
  for (const name of Object.keys(object)) {
    if (name === '__proto__') list.add([...steps, name], 'reserved name');
    else if (screening.texts && !name.isWellFormed())
      list.add([...steps, name], 'the key must be Unicode text, has a lone surrogate');
    else visit(object[name], [...steps, name], screening, list);
  }
}
